from __future__ import annotations

import onnx_ir as ir

from webbuild.passes.base import Pass, PassOptions, Rewrite
from webbuild.passes.builder import Builder
from webbuild.passes.rewrite import constant, consumers, find_nodes, redirect_consumers

_FLOAT = ir.DataType.FLOAT


class TypedOneHot(Pass):
    """Changes a OneHot to float32 if its result is cast to float32.

        Cast(OneHot(i [N], depth, (0, 1) int64) [N, depth], float32)  ->  OneHot(i, depth, (0, 1) float32)

    Why: PyTorch's `one_hot` returns int64, which the network casts immediately. WebGPU has no int64 kernels, so both
    nodes run on the CPU. A float32 OneHot can be rewritten as a comparison.

    Limits: every reader is a Cast to float32, and the two values are constants. Exact.
    """

    code = "typed-one-hot"
    after = ("fold-constants",)
    target = "webgpu"

    def apply(self, model: ir.Model, options: PassOptions) -> list[Rewrite]:
        """Rewrite each OneHot whose readers are all Casts to float32."""
        rewrites = []
        for node in find_nodes(model, "OneHot"):
            result, values, casts = node.outputs[0], constant(node.inputs[2]), consumers(node.outputs[0])
            if values is None or result.is_graph_output() or not all(_is_cast_to_float(cast, node) for cast in casts):
                continue
            add = Builder(model.graph, node, f"{node.name or 'OneHot'}/typed")
            node.replace_input_with(2, add.const(values))
            result.type = ir.TensorType(_FLOAT)
            for cast in casts:
                redirect_consumers(cast.outputs[0], result)
            rewrites.append(self.applied(node, "its values are float32, which they were cast to"))
        return rewrites


def _is_cast_to_float(node: ir.Node, producer: ir.Node) -> bool:
    alike = node.op_type == "Cast" and node.graph is producer.graph and not node.outputs[0].is_graph_output()
    return alike and node.attributes.get_int("to", 0) == _FLOAT
