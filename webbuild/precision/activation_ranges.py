"""Activation ranges: the largest and smallest values in a graph, over all samples."""

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
    """The finite numbers of a value: the lowest, the highest, and the least magnitude that is not 0.

    `smallest_magnitude` is infinite where all are 0; all three are 0, 0 and infinite where no number is finite.
    """

    lowest: float = 0.0
    highest: float = 0.0
    smallest_magnitude: float = np.inf

    @property
    def largest_magnitude(self) -> float:
        """The largest magnitude."""
        return max(-self.lowest, self.highest)

    def union(self, other: ActivationRange) -> ActivationRange:
        """Return the range of both."""
        return ActivationRange(
            min(self.lowest, other.lowest),
            max(self.highest, other.highest),
            min(self.smallest_magnitude, other.smallest_magnitude),
        )


ActivationRanges = Mapping[str, ActivationRange]
"""By the name of the value."""


def range_of(array: NDArray[Any]) -> ActivationRange:
    """Return the range of an array. Infinities, which float16 has too, and NaN do not count."""
    finite = array[np.isfinite(array)] if not np.isfinite(array).all() else array
    if not finite.size:
        return ActivationRange()
    there = np.abs(finite[finite != 0])
    return ActivationRange(float(finite.min()), float(finite.max()), float(there.min()) if there.size else np.inf)


def measure_ranges(model: ir.Model, feeds: Sequence[Tensors], batch: int | None = None) -> dict[str, ActivationRange]:
    """Return the range of every float32 that goes in or is computed, in bounded memory.

    Args:
        model: a graph of float32 with types on its values.
        feeds: its inputs, each as it is run.
        batch: bytes of values that one run may give.
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
