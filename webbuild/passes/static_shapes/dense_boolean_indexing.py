from __future__ import annotations

import math
from collections.abc import Sequence

import onnx_ir as ir

from webbuild.passes.analysis.boolean_mask import (
    MaskedRegion,
    MaskSelection,
    NeedsGatherError,
    mask_of_indices,
    mask_selection,
)
from webbuild.passes.base import Pass, PassOptions, Rewrite
from webbuild.passes.rewrite import (
    Builder,
    attribute_values,
    find_nodes,
    opset_version,
    reduction_axes,
    replace_all_uses,
    static_shape,
)

_NEUTRAL = {"ReduceProd": 1.0, "ReduceMax": -math.inf, "ReduceMin": math.inf}
"""What an element counts for that is not chosen, where it is not 0."""
_TYPES = (ir.DataType.FLOAT, ir.DataType.INT32)


class DenseBooleanIndexing(Pass):
    """Computes with all rows, those that a mask leaves out among them, instead of gathering the others first.

        f(Gather(x [N, C], NonZero(mask [N])) [n, C])         ->  f(x) [N, C]
        ReduceSum(x[mask] [n, C], axis=0) [C]                 ->  ReduceSum(Where(mask, x, 0), axis=0)
        ReduceMean(x[mask] [n, C], axis=0) [C]                ->  ReduceSum(Where(mask, x, 0)) / max(sum(mask), 1)
        ScatterND(y, NonZero(mask), f(x[mask])) [N, C]        ->  Where(mask, f(x), y)

    Why: `x[mask]` is exported as NonZero and GatherND, or as Compress. The data decide how many rows are gathered, so
    nothing after it has a fixed shape, NonZero runs on the CPU, and every shader is compiled again for every length.

    How: the bound of their number is that of all rows. What is computed from each row alone (with each element, by a
    layer, a normalisation or a softmax of the row) is computed for all of them, in their places. A reduction over the
    rows takes those that are not chosen as nothing: sums, norms, means, products, maxima and minima. `y[mask] = ...`,
    a ScatterND of them, is a Where; so is one of a single number. Where anything else reads how many there are, such
    as an output of the graph, they are gathered as before. A sum may round differently, by 1e-6 of the result.
    """

    code = "dense-boolean-indexing"
    after = ("fold-constants", "canonicalize")
    target = "webgpu"
    tolerance = 1e-6

    def apply(self, model: ir.Model, options: PassOptions) -> list[Rewrite]:
        """Rewrite after each choice by a mask: all by one mask together, or else each alone."""
        if options.table is None:
            return []
        rewrites = [
            self.applied(node, "puts one number wherever the mask is true")
            for node in find_nodes(model, "ScatterND")
            if _scatter_to_where(model, node)
        ]
        found = [each for node in find_nodes(model, "GatherND", "Gather", "Compress") if (each := _selection(node))]
        groups: dict[tuple[ir.Value, int, int], list[MaskSelection]] = {}
        for each in found:
            groups.setdefault((each.mask, each.axis, len(each.shape)), []).append(each)
        for group in groups.values():
            if len(group) > 1 and self._rewrite_group(model, group, rewrites):
                continue
            for each in group:
                self._rewrite_group(model, [each], rewrites)
        return rewrites

    def _rewrite_group(self, model: ir.Model, group: Sequence[MaskSelection], rewrites: list[Rewrite]) -> bool:
        """Rewrite after choices by one mask, and report it. Returns whether they could be."""
        where = ", ".join(f"{each.node.op_type} '{each.node.name}'" for each in group)
        try:
            region = MaskedRegion(group, list(model.graph), opset_version(model))
            _check(region)
        except NeedsGatherError as reason:
            if len(group) == 1:
                rewrites.append(self.skipped(where, str(reason)))
            return False
        _rewrite(model, group, region)
        rewrites.append(
            self.applied(where, f"{len(region.inner)} nodes and {len(region.ends)} results of all rows, masked")
        )
        return True


def _selection(node: ir.Node) -> MaskSelection | None:
    found = mask_selection(node)
    return found if found is not None and found.data.dtype in _TYPES and 0 not in found.shape else None


def _check(region: MaskedRegion) -> None:
    for node in region.ends:
        value = node.inputs[0]
        if value is not None and node.op_type != "ScatterND" and value.dtype != ir.DataType.FLOAT:
            raise NeedsGatherError(f"{node.op_type} '{node.name}' reduces no float32")


def _scatter_to_where(model: ir.Model, node: ir.Node) -> bool:
    """Write a ScatterND of one number to all that a mask chooses as a Where; returns whether it was one."""
    data, mask, update = node.inputs[0], mask_of_indices(node.inputs[1]), node.inputs[2]
    maker = None if update is None else update.producer()
    if maker is None or maker.op_type != "Expand" or data is None or data.dtype not in _TYPES or mask is None:
        return False
    sizes, taken, one = static_shape(data), static_shape(mask), static_shape(maker.inputs[0])
    if sizes is None or taken is None or one is None or math.prod(one) != 1 or sizes[: len(taken)] != taken:
        return False
    if node.attributes.get_string("reduction", "none") != "none":
        return False
    add = Builder(model.graph, node, f"{node.name or 'ScatterND'}/masked")
    number = add.reshape(maker.inputs[0], [1])
    replace_all_uses(
        node.outputs[0],
        add.op("Where", _broadcast_mask(add, mask, [*taken, *[1] * (len(sizes) - len(taken))]), number, data),
    )
    model.graph.remove(node, safe=True)
    return True


def _rewrite(model: ir.Model, group: Sequence[MaskSelection], region: MaskedRegion) -> None:
    dense: dict[ir.Value, ir.Value] = {}
    order = {each: index for index, each in enumerate(model.graph)}
    for each in group:
        add = Builder(model.graph, each.node, f"{each.node.name or each.node.op_type}/masked")
        whole = each.data
        if static_shape(whole) != list(each.shape):
            whole = add.reshape(whole, list(each.shape))
        dense[each.node.outputs[0]] = whole
    for node in sorted([*region.inner, *region.ends], key=order.__getitem__):
        add = Builder(model.graph, node, f"{node.name or node.op_type}/masked")
        if node in region.inner:
            inputs = [dense.get(value, value) if value is not None else None for value in node.inputs]
            result = add.op(node.op_type, *inputs, **attribute_values(node))
            result.type, result.shape = node.outputs[0].type, ir.Shape(region.shape[node.outputs[0]])
            dense[node.outputs[0]] = result
        elif node.op_type == "ScatterND":
            replace_all_uses(node.outputs[0], _where_from_scatter(add, node, group[0].mask, dense))
        else:
            replace_all_uses(node.outputs[0], _masked_reduction(add, node, group[0].mask, region, dense))
    for node in sorted([*region.inner, *region.ends, *(each.node for each in group)], key=order.__getitem__)[::-1]:
        model.graph.remove(node, safe=True)


def _broadcast_mask(add: Builder, mask: ir.Value, shape: Sequence[int]) -> ir.Value:
    true = mask if mask.dtype == ir.DataType.BOOL else add.cast(mask, ir.DataType.BOOL)
    if static_shape(mask) == list(shape):
        return true
    laid = add.reshape(true, list(shape))
    laid.type, laid.shape = ir.TensorType(ir.DataType.BOOL), ir.Shape(shape)
    return laid


def _where_from_scatter(add: Builder, node: ir.Node, mask: ir.Value, dense: dict[ir.Value, ir.Value]) -> ir.Value:
    """Add what a ScatterND of chosen rows makes: where the mask is true, the rows; elsewhere the data."""
    data, rows = node.inputs[0], node.inputs[2]
    assert rows is not None
    sizes, taken = static_shape(data) or [], static_shape(mask) or []
    new = dense[rows] if len(taken) == 1 else add.reshape(dense[rows], sizes)
    return add.op("Where", _broadcast_mask(add, mask, [*taken, *[1] * (len(sizes) - len(taken))]), new, data)


def _masked_reduction(
    add: Builder, node: ir.Node, mask: ir.Value, region: MaskedRegion, dense: dict[ir.Value, ir.Value]
) -> ir.Value:
    """Add a reduction over rows of which those count for nothing that are not chosen; of none, a mean is 0."""
    value = node.inputs[0]
    assert value is not None
    shape, axes = region.shape[value], reduction_axes(node) or []
    keep = node.attributes.get_int("keepdims", 1)
    true = _broadcast_mask(add, mask, [size if axis == region.axis else 1 for axis, size in enumerate(shape)])
    # rows that the mask leaves out count 0 (sum), 1 (product), -inf (maximum) or inf (minimum)
    rows = add.op("Where", true, dense[value], add.const(_NEUTRAL.get(node.op_type, 0.0)))
    if node.op_type != "ReduceMean":
        return add.reduce(node.op_type, rows, axes, keep)
    # mean = sum / (rows chosen * other elements reduced); at least one row, so that a mean of none is 0
    line = add.reshape(add.cast(true, ir.DataType.FLOAT), [-1])
    others = math.prod(shape[axis] for axis in axes if axis != region.axis)
    least = add.op("Max", add.reduce("ReduceSum", line, 0, 0), add.const(1.0))
    count = least if others == 1 else add.op("Mul", least, add.const(float(others)))
    return add.op("Div", add.reduce("ReduceSum", rows, axes, keep), count)
