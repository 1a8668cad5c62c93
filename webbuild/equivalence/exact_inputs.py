"""Exact inputs: not perturbed for the noise floor, because a slightly different value changes the meaning."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from numpy.typing import NDArray

from webbuild.equivalence.compare_runs import RunInput
from webbuild.manifest.manifest import (
    Input,
    MaskInput,
    NumberInput,
    OptionInput,
    PointPromptInput,
    PromptInput,
    SizeInput,
)
from webbuild.tasks.run_context import RunContext


def exact_inputs(inputs: Iterable[Input]) -> set[str]:
    """Return the names of inputs that a model may compare with a number: labels of clicks, thresholds, masks, sizes.

    With a label of 1.000001, SAM computes another prompt, and the noise floor would hide errors.
    """
    return {spec.name for spec in inputs if _is_exact(spec)}


def exact_in_chain(stages: Iterable[tuple[str, Sequence[Input]]]) -> set[str]:
    """Return the exact inputs of stages (name, inputs), with their names in a chain."""
    return {f"{stage}.{name}" for stage, inputs in stages for name in exact_inputs(inputs)}


def run_input(
    name: str,
    feeds: Mapping[str, NDArray[Any]],
    exact: Collection[str],
    context: RunContext,
    *,
    continues: bool = False,
) -> RunInput:
    """Return an input of a comparison, in which `exact` inputs are not perturbed."""
    free = {key: array for key, array in feeds.items() if key not in exact}
    fixed = {key: array for key, array in feeds.items() if key in exact}
    return RunInput(name, free, fixed, context, continues)


def _is_exact(spec: Input) -> bool:
    if isinstance(spec, PointPromptInput):
        return spec.role in ("labels", "has-mask")
    return isinstance(spec, MaskInput | NumberInput | OptionInput | PromptInput | SizeInput)
