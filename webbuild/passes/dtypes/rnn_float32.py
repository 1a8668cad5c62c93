from __future__ import annotations

import onnx_ir as ir

from webbuild.passes.analysis.kernels_without_fix import unsupported_rnn_activations
from webbuild.passes.base import PassOptions
from webbuild.passes.decompose.base import Decomposers, Decomposition, NotApplicableError, RewriteContext
from webbuild.passes.rewrite import attribute_values, is_read

_FLOAT16, _FLOAT = ir.DataType.FLOAT16, ir.DataType.FLOAT


class RnnFloat32(Decomposition):
    """Computes float16 LSTM and GRU in float32.

        LSTM(x float16 [T, N, I], w, r)  ->  Cast(LSTM(Cast(x), Cast(w), Cast(r)), float16)

    Why: their GPU kernels support float32 only. A float16 layer runs on the CPU, where ONNX Runtime casts it to float32
    too.

    How: a Cast before each input and after each output that is read; the weights stay float16 in the file. As on the
    CPU, values are not rounded to float16 between the steps of a sequence.
    """

    code = "rnn-float32"
    outputs = 3

    def decomposers(self) -> Decomposers:
        return {"LSTM": _layer, "GRU": _layer}

    def matches(self, model: ir.Model, node: ir.Node, options: PassOptions) -> bool:
        """Whether a layer is float16 and has no kernel for it."""
        x = node.inputs[0]
        return x is not None and x.dtype == _FLOAT16 and super().matches(model, node, options)


def _layer(add: RewriteContext, node: ir.Node) -> list[ir.Value]:
    if unsupported_rnn_activations(node):
        raise NotApplicableError("its kernel lacks an activation")
    if node.attributes.get_int("layout", 0):
        raise NotApplicableError("its batch comes first (layout = 1), which its kernel does not support")
    inputs = [
        add.cast(value, _FLOAT) if value is not None and value.dtype == _FLOAT16 else value for value in node.inputs
    ]
    outputs = add.node(node.op_type, *inputs, outputs=len(node.outputs), **attribute_values(node))
    return [
        add.cast(value, _FLOAT16) if is_read(old) else value for old, value in zip(node.outputs, outputs, strict=True)
    ]
