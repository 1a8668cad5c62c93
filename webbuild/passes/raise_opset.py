"""A newer opset with more kernels, for models from before opset 11."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.passes._base import Edit, Options, Pass
from webbuild.passes._graph import Builder
from webbuild.passes._kernels import placement_at
from webbuild.passes._older_opset import refusal

_WANTED = 11
"""The first opset in which Clip and ScatterElements have GPU kernels."""


class RaiseOpset(Pass):
    """Writes a model from before opset 11 in opset 11, in which more of its operators have a GPU kernel.

    Why: the bounds of Clip were attributes before opset 11, and ScatterElements was called Scatter. Neither has a GPU
    kernel in its old form, and ReLU6 is a Clip: a MobileNet of that time goes to the CPU and back at every layer.

    How: bounds become inputs, Scatter is named anew. Where ONNX's schemas say of every other operator that opset 11 has
    it with the same inputs and attributes, the model is written in opset 11; else it stays as it is. Exact.
    """

    code = "raise-opset"
    after = ("fold-constants",)
    target = "webgpu"

    def apply(self, model: ir.Model, options: Options) -> list[Edit]:
        """Raise the opset where every node can go along, and one gains by it."""
        current = model.graph.opset_imports.get("", 0)
        if options.table is None or model.functions or not 0 < current < _WANTED:
            return []
        nodes = [node for graph in model.graphs() for node in graph if node.domain in ("", "ai.onnx")]
        gaining = [node for node in nodes if node.op_type in ("Clip", "Scatter")]
        if not gaining:
            return []
        for node in nodes:
            if (why := _refusal(node, current, options)) is not None:
                return [self.left("graph", f"{node.op_type} '{node.name}' {why} in opset {_WANTED}")]
        for graph in model.graphs():
            graph.opset_imports[""] = _WANTED
        for node in gaining:
            _write(node)
        return [self.done("graph", f"opset {current} to {_WANTED}: {len(gaining)} more nodes on the GPU")]


def _refusal(node: ir.Node, current: int, options: Options) -> str | None:
    """Return why a node cannot be read as one of opset 11, None if it can."""
    if node.op_type in ("Clip", "Scatter"):
        x = node.inputs[0]
        return None if x is not None and x.dtype == ir.DataType.FLOAT else "is not float32"
    if (why := refusal(node, _WANTED, current)) is not None:
        return why
    before, after = placement_at(node, current, options), placement_at(node, _WANTED, options)
    return "loses its kernel" if before == "gpu" != after else None


def _write(node: ir.Node) -> None:
    if node.op_type == "Scatter":
        node.op_type = "ScatterElements"
        return
    graph = node.graph
    assert graph is not None
    assert isinstance(graph, ir.Graph)
    add = Builder(graph, node, f"{node.name or 'Clip'}/bounds", _WANTED)
    node.resize_inputs(3)
    for index, name in enumerate(("min", "max"), 1):
        if name in node.attributes:
            node.replace_input_with(index, add.const(node.attributes.pop(name).as_float()))
