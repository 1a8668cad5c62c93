"""Boolean indexing: the rows that a mask selects, and the node that selects them."""

from __future__ import annotations

from collections.abc import Container, Sequence
from math import prod

import onnx_ir as ir
from msgspec import Struct

from webbuild.passes.rewrite import constant, consumers, find_nodes, static_shape

_LAYOUT_OPS = ("Transpose", "Squeeze", "Unsqueeze", "Reshape", "Split")


class NeedsGatherError(Exception):
    """The rows after a mask cannot be computed without gathering the selected ones; the message says why."""


class MaskSelection(Struct, frozen=True):
    """Rows of `data` that a boolean mask of `shape[axis]` elements selects. `shape` is the shape of all rows.

    If `data` is None, `node` is a NonZero, which returns the indices of the selected elements: [rank of the mask, n].
    """

    node: ir.Node
    data: ir.Value | None
    mask: ir.Value
    shape: tuple[int, ...]
    axis: int


def mask_of_indices(value: ir.Value | None) -> ir.Value | None:
    """Return the mask behind indices [n, rank] from NonZero, None for any other value."""
    if value is not None and value.shape is not None and len(value.shape) == 2 and value.shape[1] == 1:
        return _line_mask(value)
    transpose = None if value is None else value.producer()
    if transpose is None or transpose.op_type != "Transpose" or transpose.inputs[0] is None:
        return None
    return _nonzero_mask(transpose.inputs[0])


def _nonzero_mask(value: ir.Value | None) -> ir.Value | None:
    node = None if value is None else value.producer()
    return node.inputs[0] if node is not None and node.op_type == "NonZero" else None


def mask_selection(node: ir.Node) -> MaskSelection | None:
    """Return the rows that a node selects by a mask, None for any other node or if shapes are unknown."""
    data, sizes = node.inputs[0], static_shape(node.inputs[0])
    if data is None or sizes is None:
        return None
    match node.op_type:
        case "GatherND" if not node.attributes.get_int("batch_dims", 0):
            mask = mask_of_indices(node.inputs[1])
            taken = static_shape(mask)
            if mask is None or not taken or sizes[: len(taken)] != taken:
                return None
            # data [H, W, C], mask [H, W]: all rows are [H * W, C]
            return MaskSelection(node, data, mask, (prod(taken), *sizes[len(taken) :]), 0)
        case "Gather":
            return _selection_along_axis(node, _row_mask(node.inputs[1]), node.attributes.get_int("axis", 0))
        case "Compress" if "axis" in node.attributes:
            return _selection_along_axis(node, node.inputs[1], node.attributes.get_int("axis", 0))
        case "Compress" if static_shape(node.inputs[1]) == [prod(sizes)] and node.inputs[1] is not None:
            return MaskSelection(node, data, node.inputs[1], (prod(sizes),), 0)
    return None


def _selection_along_axis(node: ir.Node, mask: ir.Value | None, axis: int) -> MaskSelection | None:
    data, sizes = node.inputs[0], static_shape(node.inputs[0])
    if data is None or not sizes or mask is None or static_shape(mask) != [sizes[axis]]:
        return None
    return MaskSelection(node, data, mask, tuple(sizes), axis % len(sizes))


def _row_mask(value: ir.Value | None) -> ir.Value | None:
    """Return the mask [n] behind indices [m] of its true elements."""
    return _line_mask(value) if value is not None and value.shape is not None and len(value.shape) == 1 else None


def _line_mask(value: ir.Value | None) -> ir.Value | None:
    """Return the mask [n] behind indices of its true elements, in any layout."""
    while value is not None and (node := value.producer()) is not None and _keeps_indices(node):
        value = node.inputs[0]
    mask = _nonzero_mask(value)
    return mask if mask is not None and mask.shape is not None and len(mask.shape) == 1 else None


def _keeps_indices(node: ir.Node) -> bool:
    """Whether a node only reshapes indices of one axis: [1, m], [m, 1] or [m]."""
    if node.op_type == "Gather":  # the one column of [m, 1]
        index = constant(node.inputs[1])
        return index is not None and index.size == 1 and node.attributes.get_int("axis", 0) == 1
    return node.op_type in _LAYOUT_OPS


def find_choices(model: ir.Model, types: Container[ir.DataType | None]) -> list[MaskSelection]:
    """Return the selections by masks from data of these types, and the NonZero nodes that have other readers."""
    nodes = find_nodes(model, "GatherND", "Gather", "Compress")
    selections = [
        each
        for each in map(mask_selection, nodes)
        if each is not None and each.data is not None and each.data.dtype in types and 0 not in each.shape
    ]
    readers = {each.node for each in selections}
    for node in find_nodes(model, "NonZero"):
        mask = node.inputs[0]
        sizes = static_shape(mask)
        if mask is not None and sizes and 0 not in sizes and not _is_choice_only(node.outputs[0], readers):
            selections.append(MaskSelection(node, None, mask, (len(sizes), prod(sizes)), 1))
    return selections


def _is_choice_only(places: ir.Value, choices: Container[ir.Node]) -> bool:
    """Whether indices are read only by selections, or by a ScatterND that writes rows back."""
    return not places.is_graph_output() and all(
        node in choices
        or node.op_type == "ScatterND"
        or (_keeps_indices(node) and all(_is_choice_only(value, choices) for value in node.outputs))
        for node in consumers(places)
    )


def connected_choices(choices: Sequence[MaskSelection]) -> list[list[MaskSelection]]:
    """Group selections that have the same mask, or whose rows reach a common node before a NonMaxSuppression."""
    groups: list[tuple[list[MaskSelection], set[ir.Node], set[ir.Value]]] = []
    for each in choices:
        group, reached, masks = [each], {each.node, *_nodes_after(each.node)}, {each.mask}
        for other in list(groups):
            if not (reached.isdisjoint(other[1]) and masks.isdisjoint(other[2])):
                groups.remove(other)
                group, reached, masks = [*other[0], *group], reached | other[1], masks | other[2]
        groups.append((group, reached, masks))
    return [group for group, _, _ in groups]


def _nodes_after(node: ir.Node) -> set[ir.Node]:
    nodes: set[ir.Node] = set()
    waiting = [node]
    while waiting:
        for reader in (reader for value in waiting.pop().outputs for reader in consumers(value)):
            if reader not in nodes and reader.op_type != "NonMaxSuppression":
                nodes.add(reader)
                waiting.append(reader)
    return nodes
