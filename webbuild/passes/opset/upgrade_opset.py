from __future__ import annotations

import onnx_ir as ir

from webbuild.passes.analysis.kernel_lookup import placement_at_opset
from webbuild.passes.base import Pass, PassOptions, Rewrite
from webbuild.passes.opset.node_downgrade import downgrade_blocker
from webbuild.passes.rewrite import Builder, standard_nodes

_TARGET_OPSET = 11
"""The first opset in which Clip and ScatterElements have GPU kernels."""


class UpgradeOpset(Pass):
    """Writes a model from before opset 11 in opset 11, in which more of its operators have a GPU kernel.

        opset 7 to 10                 ->  opset 11
        Clip<min, max>(x)             ->  Clip(x, min, max)
        Scatter<axis>(x, i, u)        ->  ScatterElements<axis>(x, i, u)

    Why: the bounds of Clip were attributes before opset 11, and ScatterElements was called Scatter. Neither has a GPU
    kernel in its old form, and ReLU6 is a Clip: a MobileNet of that time goes to the CPU and back at every layer.

    How: bounds become inputs, Scatter is renamed. Where ONNX's schemas say of every other operator that opset 11 has
    it with the same inputs and attributes, the model is written in opset 11; else it stays as it is. Exact.
    """

    code = "upgrade-opset"
    after = ("fold-constants",)
    target = "webgpu"

    def apply(self, model: ir.Model, options: PassOptions) -> list[Rewrite]:
        """Raise the opset where every node can go along, and one gains by it."""
        current = model.graph.opset_imports.get("", 0)
        if options.table is None or model.functions or not 0 < current < _TARGET_OPSET:
            return []
        nodes = list(standard_nodes(model))
        gaining = [node for node in nodes if node.op_type in ("Clip", "Scatter")]
        if not gaining:
            return []
        for node in nodes:
            if (reason := _upgrade_blocker(node, current, options)) is not None:
                return [self.skipped("graph", f"{node.op_type} '{node.name}' {reason} in opset {_TARGET_OPSET}")]
        for graph in model.graphs():
            graph.opset_imports[""] = _TARGET_OPSET
        for node in gaining:
            _upgrade_node(node)
        return [self.applied("graph", f"opset {current} to {_TARGET_OPSET}: {len(gaining)} more nodes on the GPU")]


def _upgrade_blocker(node: ir.Node, current: int, options: PassOptions) -> str | None:
    if node.op_type in ("Clip", "Scatter"):
        x = node.inputs[0]
        return None if x is not None and x.dtype == ir.DataType.FLOAT else "is not float32"
    if (reason := downgrade_blocker(node, _TARGET_OPSET, current)) is not None:
        return reason
    before, after = placement_at_opset(node, current, options), placement_at_opset(node, _TARGET_OPSET, options)
    return "loses its kernel" if before == "gpu" != after else None


def _upgrade_node(node: ir.Node) -> None:
    if node.op_type == "Scatter":
        node.op_type = "ScatterElements"
        return
    assert node.graph is not None
    add = Builder(node.graph, node, f"{node.name or 'Clip'}/bounds", _TARGET_OPSET)
    node.resize_inputs(3)
    for index, name in enumerate(("min", "max"), 1):
        if name in node.attributes:
            node.replace_input_with(index, add.const(node.attributes.pop(name).as_float()))
