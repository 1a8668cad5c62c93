"""Operators of ONNX Runtime's own that a build for the web lacks."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.findings import Finding
from webbuild.inspection.context import Context
from webbuild.inspection.rules._base import Rule


class ForeignOperator(Rule):
    """No session can be created: the model was optimised by ONNX Runtime for another machine.

    Operators of com.microsoft.nchwc and com.ms.internal.nhwc are what its optimiser writes for one CPU or GPU.
    Mend: export plain ONNX; never save a model with ONNX Runtime's optimisations on.
    Source: onnxruntime #23072.
    """

    code = "foreign-operator"
    outcome = "no-session"

    def check(self, node: ir.Node, context: Context) -> Finding | None:
        """See `Rule`."""
        if node.domain not in ("com.microsoft.nchwc", "com.ms.internal.nhwc"):
            return None
        return self.finding(
            node,
            "no session can be created",
            f"{node.domain} holds operators for the machine that the model was optimised on",
            "export the model again, without ONNX Runtime's offline optimisation",
        )
