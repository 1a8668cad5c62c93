"""Where on booleans."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.findings import Finding
from webbuild.inspection.context import Context, dtype, given, shape
from webbuild.inspection.rules._base import Rule


class WhereBool(Rule):
    """The run throws: the shader of a Where between booleans of several shapes does not compile.

    `[Invalid ShaderModule "Where"]`, and the failure shows at a later node.
    Where all three have one shape it is right, but for the default entry's build, where it is wrong.
    Mend: Or(And(c, a), And(Not(c), b)), written with And and Not; or cast to int32 around it.
    Source: measured on 1.24.3 to 1.31.0-dev.
    """

    code = "where-bool"
    operators = ("Where",)

    def check(self, node: ir.Node, context: Context) -> Finding | None:
        """See `Rule`."""
        if not context.on_gpu(node) or dtype(given(node, 1)) != "bool":
            return None
        shapes = [shape(value) for value in node.inputs]
        if not context.jsep and shapes[0] is not None and all(each == shapes[0] for each in shapes):
            return None
        return self.finding(
            node, "throws", "its shader does not compile for booleans", "write it with And and Not, or cast to int32"
        )
