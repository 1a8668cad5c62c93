from __future__ import annotations

import onnx_ir as ir

from webbuild.passes.decompose.base import Decomposers
from webbuild.passes.workarounds.base import DefectContext, DefectDecomposition, Symptom


class ComputeInFloat32(DefectDecomposition):
    """ThresholdedRelu(x float16) -> Cast(ThresholdedRelu(Cast(x, float32)), float16); a cubic Resize alike.

    Defect: the run throws for a float16 ThresholdedRelu or cubic Resize: its shader does not compile in any browser.

    Why: both kernels combine float16 values with a float32 parameter or weight, which WGSL does not allow.

    How: one Cast before and one after. `pack --precision` keeps these nodes of a float32 model in float32.

    Exact: except for one rounding to float16, at the end.

    Source: measured on 1.30.0 in Chromium 156 and Firefox 153.
    """

    code = "compute-in-float32"
    finding = "fp16-mixed-types"
    operators = ("ThresholdedRelu", "Resize")
    fix = "cast to float around it"
    probe = "float16/elementwise/ThresholdedRelu"
    tolerance = 1e-3
    after = ("downgrade-opset", "fold-constants")

    def affects(self, node: ir.Node, context: DefectContext) -> Symptom | None:
        value = node.inputs[0]
        half = value is not None and value.dtype == ir.DataType.FLOAT16
        return Symptom("its kernel mixes float16 and float32") if half and mixes_types(node) else None

    def decomposers(self) -> Decomposers:
        return dict.fromkeys(self.operators, lambda add, node: add.in_float32(node))


def mixes_types(node: ir.Node) -> bool:
    """Whether the float16 kernel of a node mixes float16 with float32."""
    cubic = node.op_type == "Resize" and node.attributes.get_string("mode", "nearest") == "cubic"
    return cubic or node.op_type == "ThresholdedRelu"
