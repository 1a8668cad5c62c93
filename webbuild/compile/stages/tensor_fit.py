"""Compatibility of an output of one stage with an input of another, by type and shape."""

from __future__ import annotations

from webbuild.compile.stages.planned_stage import PlannedStage
from webbuild.errors import USAGE, WebbuildError
from webbuild.model.signature import Dim, TensorSpec
from webbuild.model.states import describe_spec

_FLOATS = ("float16", "float32", "float64", "bfloat16")


def is_alike(one: TensorSpec, other: TensorSpec) -> bool:
    """Whether two tensors have the same type and shape, with at least one fixed size besides the batch."""
    known = [size for size in one.shape[1:] if isinstance(size, int) and size > 1]
    return len(one.shape) > 1 and bool(known) and fits(one, other) and one.shape[1:] == other.shape[1:]


def may_be_map(one: TensorSpec, other: TensorSpec) -> bool:
    """Whether two tensors may be the same feature map [N, C, rows, columns] with free sizes.

    They share a fixed size above 4: no picture has more than 4 channels.
    """
    known = [a for a, b in zip(one.shape[1:], other.shape[1:], strict=False) if a == b and isinstance(a, int) and a > 4]
    return len(one.shape) == len(other.shape) == 4 and bool(known) and fits(one, other)


def fits(one: TensorSpec, other: TensorSpec) -> bool:
    """Whether an output may feed an input: floats of any width match, and free sizes match any size."""
    same = one.dtype == other.dtype or (one.dtype in _FLOATS and other.dtype in _FLOATS)
    free = not one.shape or not other.shape
    return same and (free or (len(one.shape) == len(other.shape) and all(map(_may_equal, one.shape, other.shape))))


def _may_equal(one: Dim, other: Dim) -> bool:
    return one == other or not isinstance(one, int) or not isinstance(other, int)


def check_fit(stage: PlannedStage, output: TensorSpec, model: PlannedStage, spec: TensorSpec) -> None:
    """Raise if the type or shape of an output does not fit an input.

    Raises:
        WebbuildError: `stage-mismatch`.
    """
    if not fits(output, spec):
        raise stage_mismatch(model, spec, f"'{output.name}' of {stage.source.path.name} is {describe_spec(output)}")


def stage_mismatch(model: PlannedStage, spec: TensorSpec, output_text: str) -> WebbuildError:
    """Return the error of an input that cannot take the output that `output_text` describes."""
    return WebbuildError(
        "stage-mismatch",
        f"input '{spec.name}' of {model.source.path.name} is {describe_spec(spec)}, and output {output_text}",
        "export both with the same sizes and types; --dim fixes a free size, and --pipeline FILE joins other tensors",
        exit_code=USAGE,
    )
