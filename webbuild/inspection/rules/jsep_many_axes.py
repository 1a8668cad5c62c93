"""Gathering and scattering along many axes on the default entry."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.findings import Finding
from webbuild.inspection.context import Context, given, rank, shape
from webbuild.inspection.rules._base import Rule

_MOST = 4


class JsepManyAxes(Rule):
    """Zeros or a throw on the default entry's build: gathering from, or scattering into, a tensor of 5 axes and more.

    ScatterND throws at indices of two axes and more too, `Uniform variable 7 mismatch`, and GatherND at batches.
    Mend: fewer axes, by a Reshape; or the `onnxruntime-web/webgpu` entry, which is right.
    Source: measured on 1.30.0.
    """

    code = "jsep-many-axes"
    operators = ("GatherElements", "GatherND", "ScatterND")
    outcome = "wrong"

    def check(self, node: ir.Node, context: Context) -> Finding | None:
        """See `Rule`."""
        if not context.jsep or not context.on_gpu(node):
            return None
        axes, indices = rank(node.inputs[0]), shape(given(node, 1))
        if axes is not None and axes > _MOST:
            return self.finding(node, "wrong answer", f"its data has {axes} axes", "reshape it to fewer")
        deep = node.op_type == "ScatterND" and indices is not None and len(indices) > 0 and indices[-1] > 1
        batches = node.attributes.get_int("batch_dims", 0)
        if not deep and not batches:
            return None
        why = "its indices name several axes" if deep else "it gathers from batches"
        return self.finding(node, "throws", why, "reshape it to fewer axes", outcome="throws")
