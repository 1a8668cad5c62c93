"""Powers with integer exponents on the default entry."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.findings import Finding
from webbuild.inspection.context import Context, dtype
from webbuild.inspection.rules._base import Rule


class JsepIntegerPower(Rule):
    """The run throws on the default entry's build, or the answer is wrong: Pow with an integer exponent.

    `currently not supported vecX of uint64 yet` for int64; zeros for int32.
    Mend: an exponent of the base's type; or the `onnxruntime-web/webgpu` entry.
    Source: measured on 1.30.0.
    """

    code = "jsep-integer-power"
    operators = ("Pow",)
    outcome = "throws"

    def check(self, node: ir.Node, context: Context) -> Finding | None:
        """See `Rule`."""
        if (
            not context.jsep
            or not context.on_gpu(node)
            or dtype(node.inputs[1]) not in ("int64", "int32")
            or dtype(node.inputs[0]) != "float"
        ):
            return None
        return self.finding(
            node, "throws, or a wrong answer", f"its exponent is {dtype(node.inputs[1])}", "cast the exponent to float"
        )
