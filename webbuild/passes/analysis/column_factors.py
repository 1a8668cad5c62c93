"""What each column of a value is multiplied by, where some of its elements are, after they have been moved."""

from __future__ import annotations

import math

import numpy as np
import onnx_ir as ir
from numpy.typing import NDArray

from webbuild.passes.analysis.moved_elements import moved_elements
from webbuild.passes.analysis.movement import moved_data
from webbuild.passes.rewrite import consumers, static_shape

Floats = NDArray[np.float32]
Columns = NDArray[np.int32]

_LARGEST = 1 << 22
"""Elements of a value whose columns are followed."""


def column_factors(path: list[ir.Value], reader: ir.Node, factor: Floats) -> Floats | None:
    """Return what each column of a source is multiplied by where `value` is, None where that is not its columns' alone.

    [.., 3 D] -> Split -> [.., D]: a factor of the first part is one of the first D columns.
    """
    shape = static_shape(path[0])
    if not shape or math.prod(shape) > _LARGEST:
        return None
    columns = np.broadcast_to(np.arange(shape[-1], dtype=np.int32), shape)
    beside: list[Columns] = []
    for value, following in zip(path, [*path[1:], None], strict=True):
        onward = reader if following is None else following.producer()
        nodes = consumers(value)
        if sum(use.node is onward for use in value.uses()) != 1:
            return None
        moved = {node: moved_elements(node, [columns]) for node in nodes if moved_data(node) == [value]}
        if any(moved.get(node) is None for node in nodes if following is not None or node is not reader):
            return None  # the reader too, where it reads what is not moved yet
        parts = [part for node in nodes for part in zip(node.outputs, moved.get(node) or [], strict=False)]
        beside += [taken for output, taken in parts if output is not following]
        columns = next((taken for output, taken in parts if output is following), columns)
    factors = np.ones(shape[-1], np.float32)
    spread = np.broadcast_to(factor, columns.shape)
    factors[columns] = spread
    own = _marked(columns, shape[-1])
    alone = not any((own & _marked(each, shape[-1])).any() for each in beside)
    return factors if alone and np.array_equal(factors[columns], spread) else None


def _marked(columns: Columns, count: int) -> NDArray[np.bool_]:
    """Return which of `count` columns are there: marking takes a quarter of the time of sorting."""
    marks = np.zeros(count, np.bool_)
    marks[columns] = True
    return marks
