"""Point prompts: turn clicks, a box and a previous mask into the inputs of a mask decoder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
import numpy as np
from msgspec import UNSET, Struct
from numpy.typing import NDArray

from webbuild.errors import USAGE, WebbuildError
from webbuild.manifest.manifest import Input, MaskGenerationTask, PointPromptInput
from webbuild.preprocess.letterbox import ImagePlacement

FOREGROUND, BACKGROUND, UPPER_LEFT, LOWER_RIGHT, PADDING = 1, 0, 2, 3, -1
"""Labels of points, see `PointPromptInput`."""
_CORNERS = 2
"""Points that a box becomes: its upper left and lower right corner."""


class PointPrompt(Struct, frozen=True):
    """Clicks and a box on one object, in pixels of the picture.

    `labels` has one entry per point: 1 on the object, 0 on the background. `box` is x1 y1 x2 y2. `mask` [h, w] has the
    logits of a previous result. With `multimask` an ambiguous prompt returns several masks.
    """

    points: Sequence[tuple[float, float]] = ()
    labels: Sequence[int] = ()
    box: tuple[float, float, float, float] | None = None
    mask: NDArray[np.float32] | None = None
    multimask: bool = False

    @property
    def is_ambiguous(self) -> bool:
        """Whether the prompt is a single click, which may mean a part or the whole object."""
        return len(self.points) == 1 and self.box is None and self.mask is None


def example_prompt(
    inputs: Sequence[Input], task: MaskGenerationTask, placement: ImagePlacement, index: int
) -> PointPrompt:
    """Return a prompt of as many points as the inputs take, padding and corners included.

    Clicks alternate between object and background, object first. It has a box if `index` is odd and the model takes
    boxes as corner points, and always if the graph has a box input.
    """
    count = next((spec.shape[-2] for spec in _prompt_inputs(inputs) if spec.role == "points"), 0)
    generator = np.random.default_rng(index)
    size = np.array([placement.source_width, placement.source_height], np.float64)
    cornered = task.box == "corners" and index % 2 == 1 and count >= _CORNERS
    boxed = cornered or _takes_box(inputs)
    clicks = count - _CORNERS if cornered else count - int(task.padding_point and not boxed)
    points = [(float(x), float(y)) for x, y in generator.uniform(0.2, 0.8, (clicks, 2)) * size]
    x1, y1, x2, y2 = (float(value) for value in np.array([0.15, 0.2, 0.7, 0.85]) * np.tile(size, 2))
    labels = [1 - at % 2 for at in range(clicks)]
    return PointPrompt(points, labels, (x1, y1, x2, y2) if boxed else None, multimask=True)


def _prompt_inputs(inputs: Sequence[Input]) -> list[PointPromptInput]:
    return [spec for spec in inputs if isinstance(spec, PointPromptInput)]


def _takes_box(inputs: Sequence[Input]) -> bool:
    """Whether a graph has a box input; one of shape [1, 0, 4] takes no box."""
    return any(spec.role == "box" and 0 not in spec.shape for spec in _prompt_inputs(inputs))


def point_tokens(task: MaskGenerationTask, prompt: PointPrompt) -> int:
    """Return the number of points that a prompt needs in the graph's input, corners and padding included."""
    corners = _CORNERS if prompt.box is not None and task.box == "corners" else 0
    return len(prompt.points) + corners + int(task.padding_point and prompt.box is None)


def prompt_objects(inputs: Sequence[Input]) -> int:
    """Return how many prompts, one per object, a graph with these inputs takes in a run."""
    return next((spec.shape[-3] for spec in _prompt_inputs(inputs) if spec.role == "points"), 1)


def takes_prompt(inputs: Sequence[Input], task: MaskGenerationTask, prompt: PointPrompt) -> bool:
    """Whether a graph with these inputs takes exactly this prompt: its number of points, its box, one object."""
    prompt_inputs = _prompt_inputs(inputs)
    if prompt_objects(prompt_inputs) != 1:
        return False
    capacity = next((spec.shape[-2] for spec in prompt_inputs if spec.role == "points"), 0)
    takes_box = task.box != "input" or _takes_box(inputs) == (prompt.box is not None)
    return capacity == point_tokens(task, prompt) and takes_box


def point_prompt_feeds(
    inputs: Sequence[Input], task: MaskGenerationTask, prompts: Sequence[PointPrompt], placement: ImagePlacement
) -> Mapping[str, NDArray[Any]]:
    """Return the tensors of as many prompts as the graph takes in a run, by the names of their inputs.

    See `PointPromptInput`.

    Raises:
        WebbuildError: `invalid-prompt` for a prompt that is empty, outside the picture or does not fit the graph.
    """
    prompt_inputs = [spec for spec in _prompt_inputs(inputs) if spec.shape[1:2] != [0]]
    of_each = [_values_by_role(_prompt_inputs(inputs), task, prompt, placement) for prompt in prompts]
    return {spec.name: _to_tensor([each[spec.role] for each in of_each], spec) for spec in prompt_inputs}


def scale_prompt(prompt: PointPrompt, factor: float) -> PointPrompt:
    """Return a prompt with its coordinates multiplied by `factor`: below 1 they move towards the upper left corner."""
    box = None if prompt.box is None else tuple(factor * value for value in prompt.box)
    points = [(factor * x, factor * y) for x, y in prompt.points]
    return msgspec.structs.replace(prompt, points=points, box=box)


def _values_by_role(
    prompt_inputs: Sequence[PointPromptInput], task: MaskGenerationTask, prompt: PointPrompt, placement: ImagePlacement
) -> dict[str, NDArray[Any]]:
    _check(prompt_inputs, task, prompt, placement)
    points, labels = _points(task, prompt, placement)
    return {
        "points": points,
        "labels": labels,
        "box": np.array([] if prompt.box is None else _to_frame(task, _corners(prompt), placement)),
        "mask": np.zeros(1) if prompt.mask is None else prompt.mask,
        "has-mask": np.array(float(prompt.mask is not None)),
    }


def _to_tensor(of_each: Sequence[NDArray[Any]], spec: PointPromptInput) -> NDArray[Any]:
    """Concatenate the values of all objects and reshape them to the input's shape; a single number is repeated."""
    count = int(np.prod(spec.shape)) // len(of_each)
    parts = [np.resize(values, count) if values.size == 1 else values.ravel() for values in of_each]
    return np.concatenate(parts).astype(spec.dtype).reshape(spec.shape)


def _points(
    task: MaskGenerationTask, prompt: PointPrompt, placement: ImagePlacement
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return the points [n, 2] in the task's coordinates and their labels [n]."""
    points = [_to_frame(task, np.array(prompt.points, np.float64).reshape(-1, 2), placement)]
    labels = list(prompt.labels)
    if prompt.box is not None and task.box == "corners":
        points.append(_to_frame(task, _corners(prompt), placement))
        labels += [UPPER_LEFT, LOWER_RIGHT]
    if task.padding_point and prompt.box is None:
        points.append(np.zeros((1, 2)))
        labels.append(PADDING)
    return np.concatenate(points), np.array(labels, np.int64)


def _corners(prompt: PointPrompt) -> NDArray[np.float64]:
    return np.array(prompt.box, np.float64).reshape(2, 2)


def _to_frame(task: MaskGenerationTask, points: NDArray[np.float64], placement: ImagePlacement) -> NDArray[np.float64]:
    """Map points [n, 2] of the picture to the task's coordinates."""
    scale = [placement.width / placement.source_width, placement.height / placement.source_height]
    mapped: NDArray[np.float64] = points * scale + [placement.left, placement.top]
    mapped *= 1.0 if task.point_scale is UNSET else task.point_scale
    return mapped / task.frame[::-1] if task.coordinates == "unit" else mapped


def _check(
    prompt_inputs: Sequence[PointPromptInput], task: MaskGenerationTask, prompt: PointPrompt, placement: ImagePlacement
) -> None:
    """Raise `invalid-prompt` unless the graph takes this prompt."""
    if not prompt.points and prompt.box is None:
        raise _invalid("the prompt is empty", "give at least one point or a box")
    if len(prompt.points) != len(prompt.labels):
        what = f"{len(prompt.points)} points have {len(prompt.labels)} labels"
        raise _invalid(what, "give each point a label: 1 on the object, 0 on the background")
    roles = {spec.role: spec for spec in prompt_inputs}
    if bad := [label for label in prompt.labels if label not in (FOREGROUND, BACKGROUND)]:
        raise _invalid(f"a label is {bad[0]}", "label points 1 on the object and 0 on the background")
    if "labels" not in roles and BACKGROUND in prompt.labels:
        raise _invalid(
            "the decoder takes no labels", "give points on the object only, or export the decoder with labels"
        )
    _check_box(prompt_inputs, task, prompt)
    width, height = placement.source_width, placement.source_height
    corners = [] if prompt.box is None else [prompt.box[:2], prompt.box[2:]]
    for x, y in (*prompt.points, *corners):
        if not (0 <= x <= width and 0 <= y <= height):
            raise _invalid(
                f"{x:g}, {y:g} is outside of the picture of {width} x {height}",
                "give coordinates in pixels of this picture",
            )
    if prompt.mask is not None:
        if "mask" not in roles:
            raise _invalid("the decoder takes no mask", "leave out the mask")
        size = tuple(roles["mask"].shape[-2:])
        if prompt.mask.shape != size:
            what = f"a mask of {list(prompt.mask.shape)}, wanted {list(size)}"
            raise _invalid(what, "give the logits of an earlier result")
    _check_count(roles.get("points"), task, prompt)


def _check_box(prompt_inputs: Sequence[PointPromptInput], task: MaskGenerationTask, prompt: PointPrompt) -> None:
    if prompt.box is None:
        if _takes_box(prompt_inputs):
            raise _invalid(
                "the decoder takes a box with every prompt", "give a box, or export the decoder without a box input"
            )
        return
    if task.box == "none":
        raise _invalid("the decoder takes no box", "give points, or export the decoder with a box input")
    x1, y1, x2, y2 = prompt.box
    if not (x1 < x2 and y1 < y2):
        raise _invalid(f"the box {x1:g}, {y1:g}, {x2:g}, {y2:g} has no area", "give x1 < x2 and y1 < y2")


def _check_count(spec: PointPromptInput | None, task: MaskGenerationTask, prompt: PointPrompt) -> None:
    tokens, capacity = point_tokens(task, prompt), 0 if spec is None else spec.shape[-2]
    if tokens < capacity and task.box == "input" and prompt.box is not None:
        what = f"the decoder takes {'a point' if capacity == 1 else f'{capacity} points'} with every box"
        raise _invalid(what, "give a point on the object too, or export the decoder with a free number of points")
    if tokens != capacity:
        what = f"the prompt has {tokens} points with the corners of its box and its padding, the graph takes {capacity}"
        raise _invalid(what, "give as many points as the graph takes, or pack the model for this number")


def _invalid(what: str, fix: str) -> WebbuildError:
    return WebbuildError("invalid-prompt", what, fix, exit_code=USAGE)
