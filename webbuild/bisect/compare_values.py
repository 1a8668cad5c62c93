"""Comparison of one value inside a graph: like an output of a model, but mask elements are compared separately."""

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
_MASK_MAGNITUDE = 1e8
"""Elements of at least this magnitude are masks ("not this one"): in the signal they would hide all other errors."""


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
    """Compare a value with the reference.

    Floats may differ by `tolerance` times the value's largest magnitude; mask elements by `tolerance` times their own.
    Integers must be equal, unless they are `quantized` floats: these may differ by 1, with a mean within the tolerance.
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
        alike: NDArray[np.bool_] = (size >= _MASK_MAGNITUDE) & (
            (want == got) | (np.isfinite(size) & (difference <= tolerance * size))
        )
    return alike
