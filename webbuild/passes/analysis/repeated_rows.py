"""Rows that a Reshape splits into several each: [n, 3, 4] -> [n * 3, 4]."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod

import onnx_ir as ir

from webbuild.passes.analysis.row_counts import Known, RowCount, Rows, RowSet, Sizes
from webbuild.passes.analysis.value_ranges import value_ranges
from webbuild.passes.rewrite import constant, input_value

Repeated = dict[RowSet, tuple[RowSet, int]]
"""The set whose rows were split, and into how many each, by the resulting set."""


def reshaped_rows(node: ir.Node, known: Known, sizes: Mapping[ir.Value, Sizes], repeated: Repeated) -> Rows | None:
    """Return the output of a Reshape or a Flatten for all rows, None if it mixes elements of different rows.

    Args:
        node: the node.
        known: the selected rows that a value holds, by value.
        sizes: vectors and scalars that contain the number of selected rows.
        repeated: the resulting set is added here if the node splits rows.
    """
    data = node.inputs[0]
    rows = known.get(data) if data is not None else None
    target = None if rows is None else _target(node, rows, sizes)
    if rows is None or target is None:
        return None
    shape = _resolved(target, rows.shape)
    if shape is None:
        return None
    counts = [size for size in target if isinstance(size, RowCount)]
    if counts not in ([], [RowCount(rows.rows)]):
        return None
    axis = target.index(counts[0] if counts else -1) if counts or -1 in target else None
    if axis is None or prod(shape[:axis]) != prod(rows.shape[: rows.axis]):
        return None
    times, left = divmod(shape[axis], rows.shape[rows.axis])
    if times == 1 and not left:
        return Rows(shape, axis, rows.rows, rows.numbers, rows.above)
    # [n, 3, 4] -> [n * 3, 4]: the first axes after the rows are joined with theirs
    after = rows.shape[rows.axis + 1 :]
    joins = any(prod(after[:end]) == times for end in range(1, len(after) + 1))
    if counts or left or not joins or rows.numbers is not None:
        return None
    return Rows(shape, axis, _repeated(rows.rows, times, repeated), above=rows.above)


def _target(node: ir.Node, rows: Rows, sizes: Mapping[ir.Value, Sizes]) -> Sizes | None:
    """Return the output sizes that a node sets, -1 for one that follows from the others."""
    if node.op_type == "Flatten":
        end = node.attributes.get_int("axis", 1) % (len(rows.shape) + 1)
        return (-1, prod(rows.shape[end:])) if rows.axis < end else None
    wanted = input_value(node, 1)
    if node.op_type != "Reshape" or wanted is None:
        return None
    if (counted := sizes.get(wanted)) is not None:
        return counted
    stored = constant(wanted)
    if stored is None or (node.attributes.get_int("allowzero", 0) != 0 and 0 in stored):
        return None
    # 0 copies the input's size; on the axis of the rows that is their number
    return tuple(
        int(size) or (RowCount(rows.rows) if index == rows.axis else rows.shape[index])
        for index, size in enumerate(stored.ravel())
        if size or index < len(rows.shape)
    )


def _resolved(target: Sizes, shape: tuple[int, ...]) -> tuple[int, ...] | None:
    """Return a target shape with all rows and without a -1, None if its number of elements is different."""
    sizes = [size.bound if isinstance(size, RowCount) else size for size in target]
    rest = prod(size for size in sizes if size != -1)
    if rest < 1 or sizes.count(-1) > 1 or any(size < -1 for size in sizes):
        return None
    full = tuple(prod(shape) // rest if size == -1 else size for size in sizes)
    return full if prod(full) == prod(shape) else None


def _repeated(rows: RowSet, times: int, repeated: Repeated) -> RowSet:
    """Return the set of the rows split into `times` each, the same set for each call."""
    of = (rows, times)
    known = next((each for each, origin in repeated.items() if origin == of), None)
    if known is None:
        known = RowSet(rows.length * times)
        repeated[known] = of
    return known


def chosen_parts(node: ir.Node, known: Known, repeated: Repeated) -> Rows | None:
    """Return the output of a Gather that selects one part of each split row: part k of C.

    Gather(rows [n * C, ...], Range(n) * C + k [n])  [n, ...]        0 <= k < C
    """
    data, index = (known.get(value) if value is not None else None for value in node.inputs[:2])
    if (
        data is None
        or index is None
        or data.rows not in repeated
        or (data.axis, index.axis, len(index.shape)) != (0, 0, 1)
    ):
        return None
    parent, parts = repeated[data.rows]
    add = node.inputs[1].producer() if node.inputs[1] is not None else None
    if index.rows is not parent or add is None or add.op_type != "Add" or node.attributes.get_int("axis", 0) != 0:
        return None
    first, second = add.inputs
    for begin, part in ((first, second), (second, first)):
        if part in known and _is_begin(begin, parts, known, parent):
            low, high = value_ranges(node.graph)[part] if node.graph is not None and part is not None else (-1, parts)
            if 0 <= low <= high < parts:
                return Rows((parent.length, *data.shape[1:]), 0, parent)
    return None


def _is_begin(value: ir.Value | None, parts: int, known: Known, parent: RowSet) -> bool:
    """Whether a value is Range(n) * C, the indices of the first parts."""
    times = None if value is None else value.producer()
    if times is None or times.op_type != "Mul":
        return False
    factors = [constant(each) for each in times.inputs]
    by = [each for each in factors if each is not None]
    counted = [each for each, factor in zip(times.inputs, factors, strict=True) if factor is None and each in known]
    if len(by) != 1 or by[0].size != 1 or by[0].item() != parts or len(counted) != 1:
        return False
    maker = counted[0].producer() if counted[0] is not None else None
    return maker is not None and maker.op_type == "Range" and known[counted[0]].rows is parent  # type: ignore[index]
