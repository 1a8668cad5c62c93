"""Kernels of the default entry that throw on a tensor of size zero."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.findings import Finding
from webbuild.inspection.context import Context, is_empty
from webbuild.inspection.rules._base import Rule


class EmptyOnJsep(Rule):
    """The run throws on the default entry's build: its kernels take no tensor with a size of zero.

    `Program Pad has zero-sized tensor(s) in inputs or outputs. This is not supported now.`
    Mend: empty-tensors writes what it means, where the shapes are fixed.
    Source: measured on 1.30.0; ultralytics #18867.
    """

    code = "empty-on-jsep"
    operators = (
        "Pad",
        "ScatterND",
        "Split",
        "Gemm",
        "GatherND",
        "ReduceSum",
        "ReduceMean",
        "ReduceMax",
        "ReduceMin",
        "ReduceProd",
        "ReduceL1",
        "ReduceL2",
        "ReduceLogSum",
        "ReduceLogSumExp",
        "ReduceSumSquare",
    )

    def check(self, node: ir.Node, context: Context) -> Finding | None:
        """See `Rule`."""
        if not context.jsep or not context.on_gpu(node):
            return None
        data = node.inputs[:1] if node.op_type.startswith("Reduce") else node.inputs  # its axes may well be none
        ends = (*node.outputs,) if node.op_type == "Split" else (*data, *node.outputs)
        empty = [value for value in ends if is_empty(value)]
        everything = all(is_empty(value) for value in (node.inputs[0], *node.outputs))
        if not empty or (everything and node.op_type != "Gemm"):
            return None
        return self.finding(
            node, "throws", f"{node.op_type} takes no tensor with a size of zero", "use the engine's webgpu entry"
        )
