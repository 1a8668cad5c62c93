"""Control flow, with branches and bodies of one node."""

from __future__ import annotations

from collections.abc import Callable

from onnx import GraphProto, ValueInfoProto, helper

from webbuild.probe.op_template import OpTemplate, fixed_template, onnx_dtype
from webbuild.probe.op_templates.data_movement import element

_STATE, _STEPS = (3,), (4, 3)


def _branch(name: str) -> Callable[[str], GraphProto]:
    """Return a branch without inputs and nodes: its output is an initializer."""

    def made(dtype: str) -> GraphProto:
        tensor = element(dtype, f"{name}_y")
        return helper.make_graph([], name, [], [_value(tensor.name, dtype)], [tensor])

    return made


def _loop(dtype: str) -> GraphProto:
    """Return a body that passes its condition and its state through."""
    inputs = [_value("i", "int64", ()), _value("go", "bool", ()), _value("state", dtype, _STATE)]
    nodes = [helper.make_node("Identity", ["go"], ["on"]), helper.make_node("Identity", ["state"], ["next"])]
    return helper.make_graph(nodes, "body", inputs, [_value("on", "bool", ()), _value("next", dtype, _STATE)])


def _scan(dtype: str) -> GraphProto:
    """Return a body that passes its state and each element of the sequence through."""
    inputs = [_value("state", dtype, _STATE), _value("each", dtype, _STATE)]
    nodes = [helper.make_node("Identity", [a], [b]) for a, b in (("state", "next"), ("each", "same"))]
    return helper.make_graph(nodes, "body", inputs, [_value(name, dtype, _STATE) for name in ("next", "same")])


def _map(dtype: str) -> GraphProto:
    """Return a body that passes each element through."""
    node = helper.make_node("Identity", ["each"], ["same"])
    return helper.make_graph([node], "body", [_value("each", dtype, _STATE)], [_value("same", dtype, _STATE)])


def _value(name: str, dtype: str, shape: tuple[int, ...] | None = None) -> ValueInfoProto:
    return helper.make_tensor_value_info(name, onnx_dtype(dtype), shape)


def _scan_of(since: int) -> OpTemplate:
    """Return the template of Scan; in opset 8 it has a batch axis, and the sequence lengths as its first input."""
    inputs = (None, (1, *_STATE), (1, *_STEPS)) if since == 8 else (_STATE, _STEPS)
    return OpTemplate(inputs, {"body": _scan, "num_scan_inputs": 1}, 2)


TEMPLATES = {
    "If": fixed_template((), then_branch=_branch("then"), else_branch=_branch("else")),
    "Loop": fixed_template((), (), _STATE, body=_loop),
    "Scan": _scan_of,
    "SequenceMap": fixed_template(_STATE, body=_map),
}
