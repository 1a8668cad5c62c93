"""Columns of a detector's outputs, for the table of anchors."""

from __future__ import annotations

import math
from collections.abc import Mapping

import onnx_ir as ir

from webbuild.passes.builder import Builder
from webbuild.passes.rewrite import static_shape
from webbuild.postprocess.anchors import Columns

Outputs = Mapping[str | None, ir.Value]


def count_rows(outputs: Outputs, part: tuple[Columns, ...]) -> int:
    """Return the number of anchors of all levels."""
    return sum((each.stop or _table_shape(outputs, each)[0]) - each.start for each in part)


def _table_shape(outputs: Outputs, part: Columns) -> tuple[int, int]:
    """Return the rows and columns of an output as a table."""
    shape = static_shape(outputs[part.output]) or [0, 0]
    return (math.prod(shape[2:]), shape[1]) if part.maps else (math.prod(shape[:-1]), shape[-1])


class ColumnCutter:
    """Slices outputs into columns. Each output becomes a table once, and each slice is reused."""

    def __init__(self, add: Builder, outputs: Outputs) -> None:
        self._add, self._outputs = add, outputs
        self._tables: dict[str, ir.Value] = {}
        self._cut: dict[Columns, ir.Value] = {}

    def join(self, part: tuple[Columns, ...]) -> ir.Value:
        """Return the columns of all levels, concatenated: [1, A_i, numbers] -> [A, columns]."""
        levels = [self._columns(each) for each in part]
        return levels[0] if len(levels) == 1 else self._add.op("Concat", *levels, axis=0)

    def _columns(self, part: Columns) -> ir.Value:
        if part not in self._cut:
            rows, numbers = _table_shape(self._outputs, part)
            table = self._table(part, rows, numbers)
            if (part.start, part.stop or rows) != (0, rows):
                table = self._add.slice(table, 0, part.start, part.stop or rows)
            whole = (part.first, part.end) == (0, numbers)
            self._cut[part] = table if whole else self._add.slice(table, 1, part.first, part.end)
        return self._cut[part]

    def _table(self, part: Columns, rows: int, numbers: int) -> ir.Value:
        if part.output not in self._tables:
            value = self._outputs[part.output]
            # [1, numbers, h, w] -> [numbers, h * w] -> [h * w, numbers]
            turned = self._add.reshape(value, [numbers, rows]) if part.maps else value
            self._tables[part.output] = (
                self._add.op("Transpose", turned, perm=[1, 0])
                if part.maps
                else self._add.reshape(value, [rows, numbers])
            )
        return self._tables[part.output]
