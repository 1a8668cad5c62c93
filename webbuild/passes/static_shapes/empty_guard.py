"""The If around a NonMaxSuppression that handles images without candidates."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.passes.analysis.shape_inference import infer_shapes
from webbuild.passes.inline_subgraph import Inliner
from webbuild.passes.rewrite import constant, find_nodes, is_read, replace_all_uses

_HANDED_ON = ("Gather", "Squeeze", "Reshape", "Slice", "Cast", "Identity")


def empty_guards(model: ir.Model) -> list[ir.Node]:
    """Return each If(size(x) == 0, [], NonMaxSuppression(...) -> Gather -> Squeeze)."""
    return [node for node in find_nodes(model, "If") if _tests_size(node.inputs[0]) and _selects_or_is_empty(node)]


def _tests_size(value: ir.Value | None) -> bool:
    """Whether a value is ReduceProd(Shape(x)) == 0, or Size(x) == 0."""
    equal = _producer(value, "Cast", "Identity")
    if equal is None or equal.op_type != "Equal" or (zero := constant(equal.inputs[1])) is None or zero.any():
        return False
    size = _producer(equal.inputs[0])
    if size is not None and size.op_type == "ReduceProd":
        size = _producer(size.inputs[0])
        return size is not None and size.op_type == "Shape"
    return size is not None and size.op_type == "Size"


def _selects_or_is_empty(node: ir.Node) -> bool:
    empty, body = (node.attributes[name].as_graph() for name in ("then_branch", "else_branch"))
    if len(node.outputs) != 1 or any(each.op_type != "Constant" for each in empty):
        return False
    array = constant(empty.outputs[0])
    maker = _producer(body.outputs[0], *_HANDED_ON)
    return array is not None and array.size == 0 and maker is not None and maker.op_type == "NonMaxSuppression"


def _producer(value: ir.Value | None, *but: str) -> ir.Node | None:
    """Return the producer of a value, before any nodes of the operators `but`."""
    node = None if value is None else value.producer()
    while node is not None and node.op_type in but:
        node = node.inputs[0].producer() if node.inputs[0] is not None else None
    return node


def inline_guarded(model: ir.Model, guard: ir.Node) -> str:
    """Replace an If by its else branch, and return the name of the NonMaxSuppression in it."""
    assert guard.graph is not None
    body = guard.attributes["else_branch"].as_graph()
    result = Inliner(model).inline(body, [], guard, guard.name or "If")[0]
    replace_all_uses(guard.outputs[0], result)
    for node in body:  # its nodes would otherwise remain readers of outer values
        for index in range(len(node.inputs)):
            node.replace_input_with(index, None)
    unread: ir.Node | None = guard
    while unread is not None and unread.graph is not None and not any(map(is_read, unread.outputs)):
        before = unread.inputs[0]
        unread.graph.remove(unread, safe=True)
        unread = None if before is None else before.producer()
    infer_shapes(model)
    suppression = _producer(result, *_HANDED_ON)
    assert suppression is not None
    return suppression.name or ""
