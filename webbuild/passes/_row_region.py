"""What is computed row by row between a product that is too large and the products that make it small again."""

from __future__ import annotations

import onnx_ir as ir
from msgspec import Struct

from webbuild.passes._graph import dims, nbytes, users
from webbuild.passes._row_axis import ELEMENTWISE

ROWS = -2
"""The axis of the rows, in every value of the region."""
_MORE = {"Div", "Elu", "Erf", "Gelu", "LeakyRelu", "Round", "Sign", "Softplus", "Tanh", "Xor"}
_ALONG = {"LogSoftmax", "Softmax"}


class LeavesError(Exception):
    """A row leaves the region other than through the left side of a product."""


class Region(Struct, frozen=True, eq=False):
    """The nodes that compute rows, in the order of the graph: the product first, then what reads it.

    `ends` are the products whose outputs take the place of the rows; `before` is the first node that reads one of
    them, None where only the graph's outputs do.
    """

    nodes: list[ir.Node]
    ends: list[ir.Node]
    before: ir.Node | None


def region_of(product: ir.Node, graph: ir.Graph, largest: int) -> Region:
    """Return what becomes of the rows of a MatMul's output, up to the products that end it.

    Args:
        product: the MatMul.
        graph: that it is in.
        largest: bytes that the output of an end may take.

    Raises:
        LeavesError: where the rows are mixed, moved, or leave the graph; in words.
    """
    rows = _rows(product.outputs[0])
    along = -1 if graph.opset_imports.get("", 18) >= 13 else 1
    inside, ends = {product}, set[ir.Node]()
    values = [product.outputs[0]]
    while values:
        value = values.pop()
        if value.is_graph_output():
            raise LeavesError(f"'{value.name}' is an output of the model")
        for node in users(value):
            if node in inside or node in ends:
                continue
            if _ends(node, value):
                if (nbytes(node.outputs[0]) or 0) > largest:
                    raise LeavesError(f"'{node.outputs[0].name}' is as large")
                ends.add(node)
            elif _keeps_rows(node, value, rows, along):
                inside.add(node)
                values.append(node.outputs[0])
            else:
                raise LeavesError(f"{node.op_type} '{node.name}' reads it whole")
    if not ends:
        raise LeavesError("nothing reads it")
    if any(end.inputs[1] in {node.outputs[0] for node in inside} for end in ends):
        raise LeavesError("it is multiplied by itself")
    return _ordered(graph, inside, ends)


def region_around(node: ir.Node, graph: ir.Graph, largest: int) -> Region | None:
    """Return the region that a node is in, None if it is in none that can be computed in parts."""
    product: ir.Node | None = node
    while product is not None:
        if product.op_type == "MatMul" and is_product(product) and (nbytes(product.outputs[0]) or 0) > largest:
            break
        large = max(product.inputs, key=lambda value: nbytes(value) or 0, default=None)
        product = None if large is None or (nbytes(large) or 0) <= largest else large.producer()
    if product is None or product.graph is not graph:
        return None
    try:
        region = region_of(product, graph, largest)
    except LeavesError:
        return None
    return region if node in region.nodes or node in region.ends else None


def _ordered(graph: ir.Graph, inside: set[ir.Node], ends: set[ir.Node]) -> Region:
    order = {node: place for place, node in enumerate(graph)}
    readers = [node for end in ends for node in users(end.outputs[0])]
    if any(node not in order for node in (*readers, *inside, *ends)):
        raise LeavesError("a branch or a loop reads it")
    if again := next((node for node in readers if node in inside or node in ends), None):
        raise LeavesError(f"{again.op_type} '{again.name}' reads it beside what comes of it")
    first = min(readers, key=lambda node: order[node], default=None)
    for node in (*inside, *ends):
        made = (value.producer() for value in node.inputs if value is not None)
        others = [each for each in made if each is not None and each not in inside]
        if first is not None and any(order[each] >= order[first] for each in others):
            raise LeavesError(f"{node.op_type} '{node.name}' also reads what comes of it")
    return Region(sorted(inside, key=lambda node: order[node]), sorted(ends, key=lambda node: order[node]), first)


def _ends(node: ir.Node, value: ir.Value) -> bool:
    return node.op_type == "MatMul" and node.domain == "" and node.inputs[0] is value and is_product(node)


def is_product(node: ir.Node) -> bool:
    """Whether a MatMul has matrices on both sides, so that the rows of its output are those of the left."""
    return all(len(dims(value) or ()) > 1 for value in node.inputs) and dims(node.outputs[0]) is not None


def _keeps_rows(node: ir.Node, value: ir.Value, rows: int, along: int) -> bool:
    """Whether every row of what a node gives is made of that row alone, and lies in the same place.

    `along` is the axis of a Softmax that names none; below opset 13 it reaches from its axis to the last.
    """
    if node.domain != "" or len(node.outputs) != 1:
        return False
    before, behind = dims(value), dims(node.outputs[0])
    if before is None or behind is None or len(behind) < 2 or behind[ROWS] != rows:
        return False
    if node.op_type in _ALONG:
        return node.attributes.get_int("axis", along) in (-1, len(before) - 1)
    if node.op_type == "Reshape":
        return behind[ROWS:] == before[ROWS:]
    if node.op_type not in ELEMENTWISE | _MORE:
        return False
    shapes = [dims(each) for each in node.inputs if each is not None]
    return all(shape is not None and (len(shape) < 2 or shape[ROWS] in (1, rows)) for shape in shapes)


def _rows(value: ir.Value) -> int:
    return (dims(value) or [0, 0])[ROWS]
