"""Comparison of one value inside a graph: as the outputs of a model, but with masks compared by themselves."""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from webbuild.compare.arrays import RELATIVE_TOLERANCE
from webbuild.compare.comparison import Comparison
from webbuild.compare.tolerances import NATIVE
from webbuild.equivalence.answer import Answer
from webbuild.equivalence.compare_runs import Reference, RunInput, compare_runs
from webbuild.equivalence.policy import Policy
from webbuild.manifest.tasks.tensor import TensorTask

_TASK = TensorTask()
MASK_MAGNITUDE = 1e8
"""Magnitude from which on a number says "not this one": beside it, others would be too small to be compared."""


def compare_value(
    runner: str,
    sample: str,
    name: str,
    want: NDArray[Any],
    got: NDArray[Any],
    tolerance: float = RELATIVE_TOLERANCE,
    *,
    quantized: bool = False,
) -> Comparison:
    """Judge a value.

    Floats may lie `tolerance` of the value's largest magnitude apart. Where the reference is as large as
    a mask, each number is compared with itself. Integers are exact, but for those that are `quantized` floats: a
    rounding may turn one into the next, and on average they are within the tolerance.
    """
    if want.shape == got.shape and want.dtype == got.dtype and want.dtype.kind == "f":
        masks = _same_masks(want, got, tolerance)
        if masks.any() and not (masks | np.isnan(want)).all():
            want, got = (np.where(masks, np.zeros((), side.dtype), side) for side in (want, got))
    reference = Reference(lambda _: {name: want}, [RunInput(sample, {})], _TASK, None)
    rounded = frozenset({name}) if quantized else frozenset()
    policy = Policy(msgspec.structs.replace(NATIVE, relative=tolerance), rounded=rounded, predictions="none")
    (comparison,) = compare_runs(reference, runner, [Answer(_TASK, {name: got})], policy)
    return comparison


def _same_masks(want: NDArray[Any], got: NDArray[Any], tolerance: float) -> NDArray[np.bool_]:
    with np.errstate(invalid="ignore", over="ignore"):
        size = np.abs(want.astype(np.float64))
        difference = np.abs(want.astype(np.float64) - got.astype(np.float64))
        alike: NDArray[np.bool_] = (size >= MASK_MAGNITUDE) & (
            (want == got) | (np.isfinite(size) & (difference <= tolerance * size))
        )
    return alike
