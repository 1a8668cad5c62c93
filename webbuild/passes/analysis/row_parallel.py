"""Row-parallel regions: the nodes between a MatMul with a too large output and the MatMuls that reduce it."""

from __future__ import annotations

import onnx_ir as ir
from msgspec import Struct

from webbuild.passes.analysis.batch_axis import ELEMENTWISE_OPS
from webbuild.passes.rewrite import consumers, nbytes, static_shape

ROW_AXIS = -2
"""The axis of the rows, in every value of the region."""
_EXTRA_ELEMENTWISE_OPS = {"Div", "Elu", "Erf", "Gelu", "LeakyRelu", "Round", "Sign", "Softplus", "Tanh", "Xor"}
_LAST_AXIS_OPS = {"LogSoftmax", "Softmax"}


class RowsEscapeError(Exception):
    """The rows are read otherwise than as the left operand of a MatMul; the message says how."""


class RowParallelRegion(Struct, frozen=True, eq=False):
    """Nodes that compute each row independently, in the order of the graph, the large MatMul first.

    `end_nodes` are the MatMuls that read the rows; `before` is the first node that reads an output of these, None if
    no node does.
    """

    nodes: list[ir.Node]
    end_nodes: list[ir.Node]
    before: ir.Node | None


def row_parallel_region(product: ir.Node, graph: ir.Graph, largest: int) -> RowParallelRegion:
    """Return the nodes that compute row by row after a MatMul, up to the MatMuls that reduce the rows.

    Args:
        product: the MatMul with the large output.
        graph: its graph.
        largest: the largest size of an output of an end node, in bytes.

    Raises:
        RowsEscapeError: the rows are mixed, moved, or leave the graph.
    """
    rows = (static_shape(product.outputs[0]) or [0, 0])[ROW_AXIS]
    along = -1 if graph.opset_imports.get("", 18) >= 13 else 1
    inside, ends = {product}, set[ir.Node]()
    values = [product.outputs[0]]
    while values:
        value = values.pop()
        if value.is_graph_output():
            raise RowsEscapeError(f"'{value.name}' is an output of the model")
        for node in consumers(value):
            if node in inside or node in ends:
                continue
            if _is_end(node, value):
                if (nbytes(node.outputs[0]) or 0) > largest:
                    raise RowsEscapeError(f"'{node.outputs[0].name}' is too large as well")
                ends.add(node)
            elif _is_row_parallel(node, value, rows, along):
                inside.add(node)
                values.append(node.outputs[0])
            else:
                raise RowsEscapeError(f"{node.op_type} '{node.name}' reads it whole")
    if not ends:
        raise RowsEscapeError("nothing reads it")
    if any(end.inputs[1] in {node.outputs[0] for node in inside} for end in ends):
        raise RowsEscapeError("it is multiplied by itself")
    return _sorted_region(graph, inside, ends)


def enclosing_region(node: ir.Node, graph: ir.Graph, largest: int) -> RowParallelRegion | None:
    """Return the region that contains a node, None if there is none that can be computed in parts."""
    product: ir.Node | None = node
    while product is not None:
        if product.op_type == "MatMul" and is_matrix_product(product) and (nbytes(product.outputs[0]) or 0) > largest:
            break
        large = max(product.inputs, key=lambda value: nbytes(value) or 0, default=None)
        product = None if large is None or (nbytes(large) or 0) <= largest else large.producer()
    if product is None or product.graph is not graph:
        return None
    try:
        region = row_parallel_region(product, graph, largest)
    except RowsEscapeError:
        return None
    return region if node in region.nodes or node in region.end_nodes else None


def _sorted_region(graph: ir.Graph, inside: set[ir.Node], ends: set[ir.Node]) -> RowParallelRegion:
    order = {node: position for position, node in enumerate(graph)}
    readers = [node for end in ends for node in consumers(end.outputs[0])]
    if any(node not in order for node in (*readers, *inside, *ends)):
        raise RowsEscapeError("a branch or a loop reads it")
    if again := next((node for node in readers if node in inside or node in ends), None):
        raise RowsEscapeError(f"{again.op_type} '{again.name}' reads both it and a value computed from it")
    first = min(readers, key=lambda node: order[node], default=None)
    for node in (*inside, *ends):
        producers = (value.producer() for value in node.inputs if value is not None)
        others = [each for each in producers if each is not None and each not in inside]
        if first is not None and any(order[each] >= order[first] for each in others):
            raise RowsEscapeError(f"{node.op_type} '{node.name}' also reads a value computed from it")
    return RowParallelRegion(
        sorted(inside, key=lambda node: order[node]), sorted(ends, key=lambda node: order[node]), first
    )


def _is_end(node: ir.Node, value: ir.Value) -> bool:
    return node.op_type == "MatMul" and node.domain == "" and node.inputs[0] is value and is_matrix_product(node)


def is_matrix_product(node: ir.Node) -> bool:
    """Whether both operands of a MatMul have at least two axes, so that its output has the rows of the left one."""
    return (
        all(len(static_shape(value) or ()) > 1 for value in node.inputs) and static_shape(node.outputs[0]) is not None
    )


def _is_row_parallel(node: ir.Node, value: ir.Value, rows: int, along: int) -> bool:
    """Whether a node computes each output row from the same row of `value` alone.

    `along` is the default axis of Softmax; below opset 13 it works on all axes from there to the last.
    """
    if node.domain != "" or len(node.outputs) != 1:
        return False
    before, after = static_shape(value), static_shape(node.outputs[0])
    if before is None or after is None or len(after) < 2 or after[ROW_AXIS] != rows:
        return False
    if node.op_type in _LAST_AXIS_OPS:
        return node.attributes.get_int("axis", along) in (-1, len(before) - 1)
    # [B, H, L, S] -> [B * H, L, S] keeps the rows L
    if node.op_type == "Reshape":
        return after[ROW_AXIS:] == before[ROW_AXIS:]
    if node.op_type not in ELEMENTWISE_OPS | _EXTRA_ELEMENTWISE_OPS:
        return False
    shapes = [static_shape(each) for each in node.inputs if each is not None]
    return all(shape is not None and (len(shape) < 2 or shape[ROW_AXIS] in (1, rows)) for shape in shapes)
