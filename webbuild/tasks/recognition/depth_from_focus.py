"""Depth from focus: recognize models that take a focal stack, pictures of one scene at different focal distances."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from webbuild.manifest.manifest import FocusInput, Input, Letterbox, StackInput
from webbuild.model.signature import ModelSignature, TensorSpec
from webbuild.tasks.recognition.depth_units import (
    DepthUnits,
    depth_task,
    find_depth_outputs,
    finite_number,
    is_depth_name,
    read_numbers,
)
from webbuild.tasks.recognition.hub_preprocessor import IMAGENET_MEAN, IMAGENET_STD, read_normalization
from webbuild.tasks.task_match import TaskMatch

_DEFAULT_PREPROCESSING = (
    "the pictures of a stack are stretched, RGB, scaled to 0..1 and normalized with ImageNet's mean and deviation, "
    "unless an option says otherwise"
)
_DEFAULT_DISTANCES = (
    "the {} pictures are focused at even steps from 0 to 1, unless a sample or the caller says otherwise"
)


def infer_depth_from_focus(signature: ModelSignature, *, requested: bool) -> TaskMatch | None:
    """Return the match of a model that computes one map from a stack of pictures, None for other models.

    Unless requested, the name of the map or of the focal distances must indicate it.
    """
    depth, confidence = find_depth_outputs(signature.outputs)
    stack = next((candidate for fact in signature.inputs if (candidate := _stack_input(fact, signature))), None)
    if depth is None or stack is None or len(signature.inputs) > 2:
        return None
    rest = [fact for fact in signature.inputs if fact.name != stack.name]
    if any(_number_count(fact) != stack.count for fact in rest):
        return None
    if not requested and not is_depth_name(depth) and not any("focus" in fact.name.lower() for fact in rest):
        return None
    metadata = {**signature.hub_files.config, **signature.metadata}
    focus, even = _focus_inputs(rest, stack.count, metadata)
    inputs: tuple[Input, ...] = tuple(
        stack if fact.name == stack.name else focus[fact.name] for fact in signature.inputs
    )
    known = read_normalization(signature.hub_files.preprocessor)
    meaning = _depth_units(depth, metadata, focused=bool(rest))
    takes = f"input '{stack.name}' takes {stack.count} pictures of one scene, each focused at another distance"
    assumptions = (takes, meaning.source, *even, _DEFAULT_PREPROCESSING if known is None else known.source)
    return TaskMatch(depth_task(depth, confidence, meaning), inputs, assumptions)


def default_focus_distances(count: int) -> list[float]:
    """Return the default focal distances: evenly spaced from 0 to 1."""
    return [index / (count - 1) for index in range(count)]


def _stack_input(spec: TensorSpec, signature: ModelSignature) -> StackInput | None:
    """Return the spec of [1, count, 3, height, width] or [count, 3, height, width], None for any other input."""
    match spec.shape:
        case (1, int(count), 3, int(height), int(width)) | (int(count), 3, int(height), int(width)):
            shape = [size for size in spec.shape if isinstance(size, int)]
        case _:
            return None
    if spec.dtype != "float32" or count < 2 or min(height, width) < 2:
        return None
    known = read_normalization(signature.hub_files.preprocessor)
    return StackInput(
        name=spec.name,
        shape=shape,
        count=count,
        scale=1 / 255 if known is None else known.scale,
        mean=IMAGENET_MEAN if known is None else known.mean,
        std=IMAGENET_STD if known is None else known.std,
        letterbox=Letterbox(mode="stretch", interpolation="bilinear" if known is None else known.interpolation),
    )


def _number_count(spec: TensorSpec) -> int | None:
    """Return n of an input [n], [1, n] or [1, n, 1, 1], None for any other input."""
    match spec.shape:
        case (1, int(count)) | (int(count),) | (1, int(count), 1, 1) if spec.dtype == "float32":
            return count
    return None


def _focus_inputs(
    facts: list[TensorSpec], count: int, fields: Mapping[str, Any]
) -> tuple[dict[str, FocusInput], tuple[str, ...]]:
    """Return the inputs of focal distances by name, with the metadata's values as the default, else even steps."""
    known = read_numbers(fields, "focus_distances", "focal_distances", "focus")
    all_known = len(known) == count
    values = known if all_known else default_focus_distances(count)
    assumptions = () if all_known or not facts else (_DEFAULT_DISTANCES.format(count),)
    return {
        fact.name: FocusInput(
            name=fact.name, shape=[size for size in fact.shape if isinstance(size, int)], default=values
        )
        for fact in facts
    }, assumptions


def _depth_units(depth: TensorSpec, fields: Mapping[str, Any], *, focused: bool) -> DepthUnits:
    """Return the unit of the map: from the metadata, else the unit of the focal distances, else relative."""
    near, far = (
        finite_number(fields.get(name)) or _parse_number(fields.get(name)) for name in ("min_depth", "max_depth")
    )
    unit = str(fields.get("depth_unit", "")).lower()
    if unit in ("metres", "meters", "m"):
        source = f"output '{depth.name}' is depth in metres, as the model says"
        return DepthUnits("depth", "metres", near, far, source)
    if focused and unit != "relative":
        source = f"output '{depth.name}' is depth in the unit of the focal distances, assumed to be metres"
        return DepthUnits("depth", "metres", near, far, source)
    return DepthUnits("depth", "relative", near, far, f"output '{depth.name}' is relative depth: larger is farther")


def _parse_number(value: object) -> float | None:
    """Return the number in a metadata string, None if it is not a number."""
    try:
        return finite_number(float(value)) if isinstance(value, str) else None
    except ValueError:
        return None
