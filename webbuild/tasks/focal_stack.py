"""Depth from focus: a stack of pictures of one scene, each focused at another distance."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from webbuild.facts import ModelFacts, TensorFact
from webbuild.manifest import FocusInput, Input, Letterbox, StackInput
from webbuild.tasks._base import Guess
from webbuild.tasks.depth_words import Meaning, find_maps, named_depth, number, task_of, told_numbers
from webbuild.tasks.preprocessor import IMAGENET_MEAN, IMAGENET_STD, normalisation

_BELIEVED = (
    "the pictures of a stack are stretched, RGB, scaled to 0..1 and normalised with ImageNet's means, where no option "
    "says otherwise"
)
_EVEN = "the {} pictures are focused at even steps from 0 to 1, where neither a sample nor the caller says otherwise"


def guess_stack(facts: ModelFacts, *, asked: bool) -> Guess | None:
    """Return the spec of a model that makes one map of a stack of pictures, None for any other.

    Unless the user asked, the name of the map, or of the numbers that go with the pictures, has to say so.
    """
    depth, confidence = find_maps(facts.outputs)
    stack = next((found for fact in facts.inputs if (found := _stack(fact, facts))), None)
    if depth is None or stack is None or len(facts.inputs) > 2:
        return None
    rest = [fact for fact in facts.inputs if fact.name != stack.name]
    if any(_numbers(fact) != stack.count for fact in rest):
        return None
    if not asked and not named_depth(depth) and not any("focus" in fact.name.lower() for fact in rest):
        return None
    told = {**facts.companions.config, **facts.metadata}
    focus, even = _focus(rest, stack.count, told)
    inputs: tuple[Input, ...] = tuple(stack if fact.name == stack.name else focus[fact.name] for fact in facts.inputs)
    known = normalisation(facts.companions.preprocessor)
    meaning = _meaning(depth, told, focused=bool(rest))
    taken = f"input '{stack.name}' takes {stack.count} pictures of one scene, each focused at another distance"
    said = (taken, meaning.said, *even, _BELIEVED if known is None else known.said)
    return Guess(task_of(depth, confidence, meaning), inputs, said)


def even_steps(count: int) -> list[float]:
    """Return the focal distances of a model that tells none, from 0 to 1."""
    return [index / (count - 1) for index in range(count)]


def _stack(fact: TensorFact, facts: ModelFacts) -> StackInput | None:
    """Return the spec of [1, count, 3, height, width] or [count, 3, height, width], None for any other input."""
    match fact.shape:
        case (1, int(count), 3, int(height), int(width)) | (int(count), 3, int(height), int(width)):
            shape = [size for size in fact.shape if isinstance(size, int)]
        case _:
            return None
    if fact.dtype != "float32" or count < 2 or min(height, width) < 2:
        return None
    known = normalisation(facts.companions.preprocessor)
    return StackInput(
        name=fact.name,
        shape=shape,
        count=count,
        scale=1 / 255 if known is None else known.scale,
        mean=IMAGENET_MEAN if known is None else known.mean,
        std=IMAGENET_STD if known is None else known.std,
        letterbox=Letterbox(mode="stretch", resampler="bilinear" if known is None else known.resampler),
    )


def _numbers(fact: TensorFact) -> int | None:
    """Return how many numbers an input [1, n] or [n] takes, None for an input of another kind."""
    match fact.shape:
        case (1, int(count)) | (int(count),) | (1, int(count), 1, 1) if fact.dtype == "float32":
            return count
    return None


def _focus(
    facts: list[TensorFact], count: int, told: Mapping[str, Any]
) -> tuple[dict[str, FocusInput], tuple[str, ...]]:
    """Return the inputs of focal distances by name, with what is told of them as the default, else even steps."""
    known = told_numbers(told, "focus_distances", "focal_distances", "focus")
    told_all = len(known) == count
    values = known if told_all else even_steps(count)
    said = () if told_all or not facts else (_EVEN.format(count),)
    return {
        fact.name: FocusInput(
            name=fact.name, shape=[size for size in fact.shape if isinstance(size, int)], default=values
        )
        for fact in facts
    }, said


def _meaning(depth: TensorFact, told: Mapping[str, Any], *, focused: bool) -> Meaning:
    """Return what the map holds: where the model is in focus, in whatever unit its focal distances have."""
    near, far = (number(told.get(name)) or _text(told.get(name)) for name in ("min_depth", "max_depth"))
    unit = str(told.get("depth_unit", "")).lower()
    if unit in ("metres", "meters", "m"):
        said = f"output '{depth.name}' holds depth in metres, as the model says"
        return Meaning("depth", "metres", near, far, said)
    if focused and unit != "relative":
        said = f"output '{depth.name}' holds depth in the unit of the focal distances, which are taken for metres"
        return Meaning("depth", "metres", near, far, said)
    return Meaning("depth", "relative", near, far, f"output '{depth.name}' holds depth without a unit: large is far")


def _text(value: object) -> float | None:
    """Return the number in a text of the metadata, None where there is none."""
    try:
        return number(float(value)) if isinstance(value, str) else None
    except ValueError:
        return None
