"""Outputs of operators on selected rows if they read all rows instead."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod

import numpy as np
import onnx_ir as ir

from webbuild.passes.analysis.batch_axis import output_batch_axis
from webbuild.passes.analysis.moved_elements import moved_shapes
from webbuild.passes.analysis.row_counts import Known, RowCount, Rows, RowSet, Sizes
from webbuild.passes.analysis.row_wise_shape import computed_shape
from webbuild.passes.analysis.use_def import slice_bounds
from webbuild.passes.rewrite import constant, input_value, static_shape

_LAYOUT_OPS = ("Squeeze", "Unsqueeze", "Identity", "Transpose", "Split")
_AXIS_OPS = (*_LAYOUT_OPS, "Slice", "Gather", "Concat", "ReduceMax", "ReduceMin", "ReduceSum", "ReduceMean", "ArgMax")
"""Operators that do not mix rows if `output_batch_axis` returns an axis."""
_TO_THE_END = (1 << 63) - 1
_LARGEST_TOPK = 1 << 20
"""Largest number of rows that a TopK sorts, selected or not."""


def ranked(node: ir.Node, known: Known, sizes: Mapping[ir.Value, Sizes]) -> Sequence[Rows]:
    """Return the outputs of a TopK of the best min(n, K) rows: values and indices."""
    data, most = node.inputs[0], node.inputs[1]
    rows = known.get(data) if data is not None else None
    count = sizes.get(most, ()) if most is not None else ()
    if rows is None or len(count) != 1 or not isinstance(count[0], RowCount) or count[0].rows is not rows.rows:
        return ()
    if not can_rank(node, rows):
        return ()
    rank = len(rows.shape)
    best = RowSet(count[0].bound)
    shape = tuple(best.length if axis == rows.axis else 1 for axis in range(rank))
    return (
        Rows(shape, rows.axis, best, above=rows.above),
        Rows(shape, rows.axis, best, numbers=rows.rows),
    )


def can_rank(node: ir.Node, rows: Rows) -> bool:
    """Whether a TopK sorts rows of one float each in descending order: rows that are not selected can be put last."""
    length, attributes = rows.shape[rows.axis], node.attributes
    if prod(rows.shape) != length or length > _LARGEST_TOPK or node.outputs[0].dtype != ir.DataType.FLOAT:
        return False
    plain = attributes.get_int("largest", 1) == 1 and attributes.get_int("sorted", 1) == 1
    return plain and attributes.get_int("axis", -1) % len(rows.shape) == rows.axis


def nested_selection(node: ir.Node, known: Known, nested: dict[RowSet, tuple[RowSet, ir.Value]]) -> Sequence[Rows]:
    """Return the output [1, n] of a NonZero of a mask of selected rows; add its set's parent and mask to `nested`."""
    mask = node.inputs[0]
    mask_rows = known.get(mask) if mask is not None else None
    if mask_rows is None or mask is None or len(mask_rows.shape) != 1:
        return ()
    some = next((rows for rows, (_, by) in nested.items() if by is mask), RowSet(mask_rows.rows.length))
    nested[some] = mask_rows.rows, mask
    return (Rows((1, *mask_rows.shape), 1, some, numbers=mask_rows.rows),)


def joined(node: ir.Node, known: Known, sets: dict[RowSet, list[RowSet]]) -> Rows | None:
    """Return the output of a Concat along the rows, None for any other; add the joined set and its parts to `sets`."""
    rows_of_inputs = [known.get(value) if value is not None else None for value in node.inputs]
    parts = [each for each in rows_of_inputs if each is not None]
    first = parts[0]
    axis = node.attributes.get_int("axis", 0) % len(first.shape)
    if len(parts) < len(rows_of_inputs) or any(each.axis != axis or each.numbers is not None for each in parts):
        return None
    joins = [each.rows for each in parts]
    whole = next((rows for rows, of in sets.items() if of == joins), None)
    if whole is None:
        whole = RowSet(sum(each.length for each in joins))
        sets[whole] = joins
    above = first.above if all(_is_same(each.above, first.above) for each in parts) else None
    shape = tuple(whole.length if at == axis else size for at, size in enumerate(first.shape))
    return Rows(shape, axis, whole, above=above)


def _is_same(value: ir.Value | None, other: ir.Value | None) -> bool:
    array, wanted = constant(value), constant(other)
    return value is other or (
        array is not None and wanted is not None and np.array_equal(array.ravel(), wanted.ravel())
    )


def row_results(
    node: ir.Node,
    known: Known,
    sizes: Mapping[ir.Value, Sizes],
    nested: Mapping[RowSet, tuple[RowSet, ir.Value]],
    opset: int,
) -> Sequence[Rows]:
    """Return the outputs of a node that reads all rows; none if rows that are not selected may affect others."""
    if node.op_type == "Slice" and (whole := _every_row(node, known, sizes)) is not None:
        return (whole,)
    if node.op_type == "Range" and (numbered := _numbered(node, sizes)) is not None:
        return (numbered,)
    if node.op_type in ("ConstantOfShape", "Expand") and (target := _target(node, sizes)) is not None:
        return _of_counted_shape(node, target, known)
    read = [known[value] for value in node.inputs if value is not None and value in known]
    if not read or any(value in sizes for value in node.inputs if value is not None):
        return ()
    if node.op_type in ("Gather", "GatherND") and (index := known.get(node.inputs[1])) is not None:  # type: ignore[arg-type]
        return _gathered(node, index, known, nested)
    if node.op_type == "RoiAlign":
        return _aligned(node, known)
    first, layout = read[0], node.op_type in (*_LAYOUT_OPS, "Gather")
    if len({each.rows for each in read}) > 1 or (first.numbers is not None and not layout):
        return ()
    shape = computed_shape(node, first.axis, known, opset)
    if shape is not None:
        return (Rows(shape, first.axis, first.rows, first.numbers if layout else None),)
    if node.op_type not in _AXIS_OPS or (axis := _axis(node, known)) is None:
        return ()
    shapes = [_with_rows(value.shape, axis, first.rows.length) for value in node.outputs]
    if None in shapes:
        shapes = [*(moved_shapes(node, _joined_shape(node, known)) or ())]
    return [
        Rows(each, axis, first.rows, first.numbers if layout else None, first.above if layout else None)
        for each in shapes
        if each is not None
    ]


def _every_row(node: ir.Node, known: Known, sizes: Mapping[ir.Value, Sizes]) -> Rows | None:
    """Return the rows of a Slice that keeps the first n of n rows."""
    end = sizes.get(node.inputs[2]) if len(node.inputs) > 3 and node.inputs[2] is not None else None
    rows = known.get(node.inputs[0]) if node.inputs[0] is not None else None
    start, axes, *steps = (constant(value) for value in (node.inputs[1], *node.inputs[3:]))
    numbers = [None if each is None or each.size != 1 else int(each.item()) for each in (start, axes, *steps)]
    if rows is None or end != (RowCount(rows.rows),) or None in numbers or numbers[0] != 0:
        return None
    along = (numbers[1] or 0) % len(rows.shape)
    return rows if along == rows.axis and numbers[2:] in ([], [1]) else None


def _numbered(node: ir.Node, sizes: Mapping[ir.Value, Sizes]) -> Rows | None:
    """Return Range(0, n) of selected rows that come first; with all rows it is 0 .. N - 1."""
    start, end, step = constant(node.inputs[0]), sizes.get(node.inputs[1]), constant(node.inputs[2])  # type: ignore[arg-type]
    count = end[0] if end is not None and len(end) == 1 else None
    if not isinstance(count, RowCount) or count.most is not None or count.rows.places is None:
        return None
    from_zero = start is not None and step is not None and start.item() == 0 and step.item() == 1
    return Rows((count.rows.length,), 0, count.rows) if from_zero else None


def _aligned(node: ir.Node, known: Known) -> Sequence[Rows]:
    """Return the output [n, C, h, w] of a RoiAlign with regions [n, 4] and batch indices [n] of one feature map."""
    sizes, regions = static_shape(node.inputs[0]), [known.get(value) for value in node.inputs[1:] if value is not None]
    first = regions[0]
    if sizes is None or first is None or node.inputs[0] in known:
        return ()
    if any(each is None or each.rows is not first.rows or each.axis or each.numbers for each in regions):
        return ()
    height, width = (node.attributes.get_int(name, 1) for name in ("output_height", "output_width"))
    return (Rows((first.rows.length, sizes[1], height, width), 0, first.rows),)


def _axis(node: ir.Node, known: Known) -> int | None:
    first = known.get(node.inputs[0]) if node.inputs[0] is not None else None
    if first is not None and node.op_type == "Slice" and slice_bounds(node) == (0, _TO_THE_END, first.axis):
        return first.axis  # it keeps all rows
    return output_batch_axis(node, {value: each.axis for value, each in known.items()})


def _with_rows(shape: ir.Shape | None, axis: int, length: int) -> tuple[int, ...] | None:
    sizes = [length if at == axis else size for at, size in enumerate(shape or ())]
    known = tuple(size for size in sizes if isinstance(size, int))
    return known if shape is not None and len(known) == len(sizes) and 0 not in known else None


def _joined_shape(node: ir.Node, known: Known) -> tuple[int, ...]:
    """Return the shape of the first input; for a Concat, with the sum of the inputs' sizes along its axis."""
    shapes = [each.shape for value in node.inputs if value is not None and (each := known.get(value))]
    first = shapes[0]
    axis = node.attributes.get_int("axis", 0) % len(first)
    return (
        (*first[:axis], sum(each[axis] for each in shapes), *first[axis + 1 :]) if node.op_type == "Concat" else first
    )


def _target(node: ir.Node, sizes: Mapping[ir.Value, Sizes]) -> Sizes | None:
    value = node.inputs[0] if node.op_type == "ConstantOfShape" else input_value(node, 1)
    return sizes.get(value) if value is not None else None


def _of_counted_shape(node: ir.Node, target: Sizes, known: Known) -> Sequence[Rows]:
    """Return the output of a ConstantOfShape or an Expand to a shape that contains one count."""
    counts = [position for position, size in enumerate(target) if isinstance(size, RowCount)]
    if len(counts) != 1:
        return ()
    axis, count = counts[0], target[counts[0]]
    assert isinstance(count, RowCount)
    shape = tuple(size.bound if isinstance(size, RowCount) else size for size in target)
    data = node.inputs[0]
    if count.most is not None or min(shape) < 1:
        return ()
    if node.op_type == "ConstantOfShape":
        return (Rows(shape, axis, count.rows),)
    rows = known.get(data) if data is not None else None
    if rows is None:
        # one number, or one row, for each row: [1, 4] -> [n, 4]
        sizes = static_shape(data) if node.op_type == "Expand" else None
        fits = sizes is not None and [*([1] * len(shape)), *sizes][axis - len(shape)] == 1
        return (Rows(shape, axis, count.rows),) if fits else ()
    same = rows.rows is count.rows and rows.axis == axis and len(rows.shape) == len(shape)
    fits = all(old in (1, new) for old, new in zip(rows.shape, shape, strict=False))
    if not (same and fits):
        return ()
    return (Rows(shape, axis, rows.rows, rows.numbers, rows.above),)


def _gathered(
    node: ir.Node, index: Rows, known: Known, nested: Mapping[RowSet, tuple[RowSet, ir.Value]]
) -> Sequence[Rows]:
    """Return the output of a Gather by selected indices: of rows of the same set, or of data of known shape."""
    data = node.inputs[0]
    rows = known.get(data) if data is not None else None
    sizes = rows.shape if rows is not None else static_shape(data)
    if not sizes or 0 in sizes:
        return ()
    along = node.attributes.get_int("axis", 0) % len(sizes)
    places = index.shape
    if node.op_type == "GatherND":
        # data [n, ...] by indices [n, 1]
        if rows is None or places[1:] != (1,) or node.attributes.get_int("batch_dims", 0) != 0:
            return ()
        places = places[:1]
    shape = (*sizes[:along], *places, *sizes[along + 1 :])
    axis = along + index.axis
    if rows is None:
        return (Rows(shape, axis, index.rows),) if index.numbers is None else ()
    if index.numbers is not rows.rows or along != rows.axis:
        return ()
    above = rows.above
    if above is None and index.rows in nested:
        above = threshold(nested[index.rows][1], data)
    return (Rows(shape, axis, index.rows, rows.numbers, above),)


def threshold(mask: ir.Value, data: ir.Value | None) -> ir.Value | None:
    """Return the threshold if the mask is `data > threshold`."""
    maker = mask.producer()
    if maker is None or maker.op_type != "Greater" or maker.inputs[0] is not data:
        return None
    sizes = static_shape(maker.inputs[1])
    return maker.inputs[1] if sizes is not None and prod(sizes) == 1 else None


def scattered(node: ir.Node, known: Known, nested: Mapping[RowSet, tuple[RowSet, ir.Value]]) -> Rows | None:
    """Return the output of a scatter that writes rows of a nested selection back to where they were taken from.

    ScatterElements(data [n, C], Expand(indices [m, 1]) [m, C], rows [m, C])
    ScatterND(data [n, C], indices [m, 1], rows [m, C])
    """
    data, places, rows = (known.get(value) if value is not None else None for value in node.inputs[:3])
    if data is None or places is None or rows is None or rows.rows not in nested:
        return None
    whole, _ = nested[rows.rows]
    plain = node.attributes.get_string("reduction", "none") == "none" and node.attributes.get_int("axis", 0) == 0
    sizes = rows.shape if node.op_type == "ScatterElements" else (rows.shape[0], 1)
    same = places.rows is rows.rows and places.numbers is whole is data.rows
    apart = (data.axis, places.axis, rows.axis) == (0, 0, 0) and rows.numbers is None is data.numbers
    if not (plain and same and apart and places.shape == sizes and data.shape == rows.shape):
        return None
    return Rows(data.shape, 0, data.rows)
