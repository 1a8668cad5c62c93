"""Activation ranges: the largest and smallest values of each tensor in a graph, over all samples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from webbuild.precision.batched_activations import iter_activations
from webbuild.precision.castable_io import is_float32
from webbuild.runners.tensors import Tensors

if TYPE_CHECKING:
    import onnx_ir as ir


class ActivationRange(Struct, frozen=True):
    """Range of a value's finite elements: the lowest, the highest, and the smallest nonzero magnitude.

    `smallest_magnitude` is infinite if all elements are 0. Without a finite element the fields are 0, 0 and infinity.
    """

    lowest: float = 0.0
    highest: float = 0.0
    smallest_magnitude: float = np.inf

    @property
    def largest_magnitude(self) -> float:
        """The largest magnitude."""
        return max(-self.lowest, self.highest)

    def union(self, other: ActivationRange) -> ActivationRange:
        """Return the union of two ranges."""
        return ActivationRange(
            min(self.lowest, other.lowest),
            max(self.highest, other.highest),
            min(self.smallest_magnitude, other.smallest_magnitude),
        )


ActivationRanges = Mapping[str, ActivationRange]
"""Ranges by value name."""


def range_of(array: NDArray[Any]) -> ActivationRange:
    """Return the range of an array. NaN and infinities, which float16 also has, are ignored."""
    finite = array[np.isfinite(array)] if not np.isfinite(array).all() else array
    if not finite.size:
        return ActivationRange()
    nonzero = np.abs(finite[finite != 0])
    return ActivationRange(float(finite.min()), float(finite.max()), float(nonzero.min()) if nonzero.size else np.inf)


def measure_ranges(model: ir.Model, feeds: Sequence[Tensors], batch: int | None = None) -> dict[str, ActivationRange]:
    """Return the range of every float32 input and computed value, in bounded memory.

    Args:
        model: a float32 graph with typed values.
        feeds: the inputs of each run.
        batch: limit of the bytes of values per run.
    """
    names = [value.name for node in model.graph for value in node.outputs if value.name and is_float32(value)]
    ranges: dict[str, ActivationRange] = {}
    for name in (value.name or "" for value in model.graph.inputs if is_float32(value)):
        for run_feeds in feeds:
            if name in run_feeds:
                ranges[name] = ranges.get(name, ActivationRange()).union(range_of(run_feeds[name]))
    values = iter_activations(model, names, feeds) if batch is None else iter_activations(model, names, feeds, batch)
    for name, array in values:
        new = range_of(array)
        ranges[name] = ranges[name].union(new) if name in ranges else new
    return ranges
