"""Rows that a mask selects, their number as Shape returns it, and sizes computed from that."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import onnx_ir as ir
from msgspec import Struct

from webbuild.passes.analysis.python_slice import python_slice
from webbuild.passes.rewrite import constant, input_value

_COPIES = ("Squeeze", "Unsqueeze", "Reshape", "Cast", "Identity")


class RowSet(Struct, frozen=True, eq=False):
    """A set of `length` rows from which a mask selects n.

    If the selected rows come first, `places` are their indices 0 .. n - 1.
    """

    length: int
    places: ir.Value | None = None


class RowCount(Struct, frozen=True):
    """The number of selected rows of a set, limited to `most`: min(n, most)."""

    rows: RowSet
    most: int | None = None

    @property
    def bound(self) -> int:
        """Return the largest possible number."""
        return self.rows.length if self.most is None else min(self.most, self.rows.length)


Sizes = tuple[int | RowCount, ...]


class Rows(Struct, frozen=True):
    """A value that holds selected rows, and its form with all rows.

    Attributes:
        shape: the shape with all rows.
        axis: the axis of the rows.
        rows: the set that the rows are selected from.
        numbers: the set whose row indices the elements are, if they are: indices among all rows, not the selected.
        above: a threshold that each element of a selected row is above, if one is known.
    """

    shape: tuple[int, ...]
    axis: int
    rows: RowSet
    numbers: RowSet | None = None
    above: ir.Value | None = None


Known = Mapping[ir.Value, Rows]


def sizes_of(node: ir.Node, known: Mapping[ir.Value, Sizes]) -> Sizes | None:
    """Return the sizes that a node computes from known sizes: Shape -> Gather -> Concat([40, n]) -> ReduceMin.

    Args:
        node: a node that reads at least one of the values.
        known: the sizes that a vector or scalar contains, by value.
    """
    data = node.inputs[0]
    parts = [_parts(value, known) for value in node.inputs]
    if node.op_type in ("Where", "Equal", "Add"):
        return _elementwise(node.op_type, parts)
    if data is None or parts[0] is None:
        return None
    if node.op_type in _COPIES and data in known:
        return parts[0]
    if node.op_type == "Gather" and (index := constant(input_value(node, 1))) is not None:
        return tuple(parts[0][int(position)] for position in index.ravel())
    if node.op_type == "Slice":
        bounds = [constant(value) for value in (*node.inputs[1:3], *node.inputs[4:5])]
        numbers = [int(each.item()) for each in bounds if each is not None and each.size == 1]
        is_known = len(numbers) == len(bounds) > 1
        return parts[0][python_slice(len(parts[0]), *numbers)] if is_known else None
    every = [size for each in parts for size in each or ()]
    if node.op_type == "Concat" and None not in parts:
        return tuple(every)
    if node.op_type in ("Min", "ReduceMin") and (node.op_type == "ReduceMin" or None not in parts):
        return _least(parts[0] if node.op_type == "ReduceMin" else tuple(every))
    return None


def _parts(value: ir.Value | None, known: Mapping[ir.Value, Sizes]) -> Sizes | None:
    if value is not None and value in known:
        return known[value]
    array = constant(value)
    return None if array is None or array.dtype.kind not in "ib" else tuple(int(each) for each in array.ravel())


def _elementwise(op: str, parts: Sequence[Sizes | None]) -> Sizes | None:
    """Return the sizes of Where(Equal(sizes, -1), ones, sizes) or Add(0, sizes). A count is never -1; True is 1."""
    known = [each for each in parts if each is not None]
    length = max(map(len, known), default=0)
    if len(known) < len(parts) or any(len(each) not in (1, length) for each in known):
        return None
    chosen: list[int | RowCount] = []
    for each in zip(*(each * (length // len(each)) for each in known), strict=True):
        numbers = [size for size in each[:2] if isinstance(size, int)]
        if op == "Add" and 0 in each:
            chosen.append(each[1] if each[0] == 0 else each[0])
        elif op == "Where" and isinstance(each[0], int):
            chosen.append(each[1] if each[0] else each[2])
        elif op == "Equal" and (len(numbers) == 2 or min(numbers, default=0) < 0):
            chosen.append(int(len(numbers) == 2 and numbers[0] == numbers[1]))
        else:
            return None
    return tuple(chosen)


def _least(sizes: Sizes) -> Sizes | None:
    """Return the minimum of one count and numbers, None if there are counts of several sets."""
    counts = [each for each in sizes if isinstance(each, RowCount)]
    if len({each.rows for each in counts}) != 1:
        return None
    limits = [each for each in sizes if isinstance(each, int)]
    limits += [each.most for each in counts if each.most is not None]
    return (RowCount(counts[0].rows, min(limits, default=None)),)
