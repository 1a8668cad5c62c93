"""Masks of the rows that a masked region selects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import onnx_ir as ir

from webbuild.passes.analysis.masked_rows import MaskedRegion
from webbuild.passes.analysis.row_counts import RowSet
from webbuild.passes.builder import Builder
from webbuild.passes.rewrite import LOW, static_shape


class RowMasks:
    """The masks of a region's row sets. Masks of sets that are made from others are added once."""

    def __init__(self, region: MaskedRegion) -> None:
        self._region = region
        self._masks: dict[RowSet, ir.Value] = dict(region.masks)

    def of_set(self, rows: RowSet) -> ir.Value:
        """Return the mask of a set, as it is in the graph."""
        return self._masks[rows]

    def of_value(self, add: Builder, value: ir.Value) -> ir.Value:
        """Return the mask of a value's rows, reshaped to broadcast: [1, N, 1] for rows along axis 1 of three."""
        rows = self._region.rows[value]
        ones = [size if axis == rows.axis else 1 for axis, size in enumerate(rows.shape)]
        return broadcast_mask(add, self._masks[rows.rows], ones)

    def add_joined(self, add: Builder, rows: RowSet) -> None:
        """Add the mask of joined rows, concatenated from the parts' masks; as floats, as Concat has no bool kernel."""
        if rows not in self._region.parts or rows in self._masks:
            return
        flags = [add.cast(self._line(add, part), ir.DataType.FLOAT) for part in self._region.parts[rows]]
        self._set(rows, add.cast(add.op("Concat", *flags, axis=0), ir.DataType.BOOL))

    def add_repeated(self, add: Builder, rows: RowSet) -> None:
        """Add the mask of split rows, which repeat the mask of their row: [n] -> [n, 1] * [1, m] -> [n * m]."""
        if rows not in self._region.repeated or rows in self._masks:
            return
        parent, times = self._region.repeated[rows]
        flags = add.cast(broadcast_mask(add, self._masks[parent], [parent.length, 1]), ir.DataType.FLOAT)
        every = add.reshape(add.op("Mul", flags, add.const(np.ones((1, times)))), [rows.length])
        self._set(rows, add.cast(every, ir.DataType.BOOL))

    def add_nested(self, add: Builder, rows: RowSet, values: Mapping[ir.Value, ir.Value]) -> None:
        """Add the mask of a selection from selected rows; `values` have all rows, by the values of selected rows."""
        if rows not in self._masks:
            parent, mask = self._region.nested[rows]
            self._set(rows, add.op("And", self._line(add, parent), values[mask]))

    def add_best(self, add: Builder, rows: RowSet, scores: ir.Value) -> None:
        """Add the mask of the rows of a TopK: those that are not selected have low scores."""
        self._set(rows, add.op("Greater", add.reshape(scores, [rows.length]), add.const([LOW])))

    def _line(self, add: Builder, rows: RowSet) -> ir.Value:
        return broadcast_mask(add, self._masks[rows], [rows.length])

    def _set(self, rows: RowSet, mask: ir.Value) -> None:
        mask.type, mask.shape = ir.TensorType(ir.DataType.BOOL), ir.Shape([rows.length])
        self._masks[rows] = mask


def broadcast_mask(add: Builder, mask: ir.Value, shape: Sequence[int]) -> ir.Value:
    """Add a mask as bool of a shape."""
    true = mask if mask.dtype == ir.DataType.BOOL else add.cast(mask, ir.DataType.BOOL)
    if static_shape(mask) == list(shape):
        return true
    laid = add.reshape(true, list(shape))
    laid.type, laid.shape = ir.TensorType(ir.DataType.BOOL), ir.Shape(shape)
    return laid
