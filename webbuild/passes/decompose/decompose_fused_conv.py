from __future__ import annotations

import numpy as np
import onnx_ir as ir

from webbuild.passes.base import Pass, PassOptions, Rewrite
from webbuild.passes.builder import Builder
from webbuild.passes.fused_activation import KNOWN, add_activation
from webbuild.passes.graphs import graphs_of
from webbuild.passes.rewrite import attribute_values, is_read, known_rank, replace_output

_FUSED = ("FusedConv", "FusedGemm", "FusedMatMul")
_ACTIVATION = "activation"


class DecomposeFusedConv(Pass):
    """ONNX Runtime's `FusedConv`, `FusedGemm` and `FusedMatMul` -> the standard ONNX operators.

        FusedConv<activation = Relu>(x, w, b, z)  ->  Relu(Conv(x, w, b) + z)
        FusedGemm<activation = Tanh>(a, b, c)     ->  Tanh(Gemm(a, b, c))
        FusedMatMul<alpha, transB = 1>(a, b)      ->  MatMul(a, Transpose(b)) * alpha

    Why: graphs that ONNX Runtime saved after its optimizations contain these operators. FusedMatMul has no GPU kernel.
    The findings about Conv, and the passes that fix a Conv on the GPU, look for Conv only: without this pass a
    FusedConv of 6 channels stays wrong.

    Exact except for the rounding of the sum.
    """

    code = "decompose-fused-conv"
    after = ("canonicalize",)
    tolerance = 1e-6

    def apply(self, model: ir.Model, options: PassOptions) -> list[Rewrite]:
        return [
            self._rewrite(model, graph, node)
            for graph in graphs_of(model)
            for node in [each for each in graph if each.domain == "com.microsoft" and each.op_type in _FUSED]
            if any(map(is_read, node.outputs))
        ]

    def _rewrite(self, model: ir.Model, graph: ir.Graph, node: ir.Node) -> Rewrite:
        values, operator = attribute_values(node), node.op_type.removeprefix("Fused")
        if operator == "MatMul":
            return self._matmul(model, graph, node, values)
        name, parameters = values.get(_ACTIVATION, ""), _parameters(values)
        if name not in KNOWN:
            return self.skipped(node, f"its activation {name} is not known")
        plain = {key: value for key, value in values.items() if not key.startswith(_ACTIVATION)}
        add = Builder(graph, node, f"{node.name or operator}/plain", model.graph.opset_imports[""])
        result = add.op(operator, *node.inputs[:3], **plain)
        if operator == "Conv" and len(node.inputs) > 3 and node.inputs[3] is not None:
            result = add.op("Add", result, node.inputs[3])
        activated = add_activation(add, result, name, parameters)
        assert activated is not None
        replace_output(node, activated)
        return self.applied(node, f"{operator} and {name or 'no activation'}, each by itself")

    def _matmul(self, model: ir.Model, graph: ir.Graph, node: ir.Node, values: dict[str, object]) -> Rewrite:
        sides = list(zip(node.inputs, ("A", "B"), strict=True))
        ranks = [known_rank(value) for value, side in sides if values.get(f"trans{side}")]
        if values.get("transBatchA") or values.get("transBatchB") or None in ranks or 1 in ranks:
            return self.skipped(node, "it transposes batch axes, or its rank is not known")
        add = Builder(graph, node, f"{node.name or 'MatMul'}/plain", model.graph.opset_imports[""])
        result = add.op(
            "MatMul",
            *(_transpose_last_two(add, value) if values.get(f"trans{side}") else value for value, side in sides),
        )
        alpha, dtype = (
            float(str(values.get("alpha", 1.0))),
            node.inputs[0].dtype if node.inputs[0] is not None else None,
        )
        if alpha != 1:
            result = add.op("Mul", result, add.const(alpha, np.float32 if dtype is None else dtype.numpy()))
        replace_output(node, result)
        return self.applied(node, "MatMul, with Transpose and Mul by themselves")


def _transpose_last_two(add: Builder, value: ir.Value | None) -> ir.Value:
    rank = known_rank(value) or 2
    return add.op("Transpose", value, perm=[*range(rank - 2), rank - 1, rank - 2])


def _parameters(values: dict[str, object]) -> list[float]:
    """Return an activation's parameters: FusedConv has them as a list, FusedGemm as one attribute each."""
    listed = values.get("activation_params", ())
    named = [values[f"activation_{key}"] for key in ("alpha", "beta", "gamma") if f"activation_{key}" in values]
    return [float(str(each)) for each in (*(listed if isinstance(listed, (list, tuple)) else ()), *named)]
