"""Operators of ONNX Runtime's own that a build for the web lacks."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.inspection.context import InspectionContext
from webbuild.inspection.finding import Finding
from webbuild.inspection.rules.base import Rule


class NonPortableOp(Rule):
    """No session can be created: the model was optimised by ONNX Runtime for another machine.

    Operators of com.microsoft.nchwc and com.ms.internal.nhwc are what its optimiser writes for one CPU or GPU.
    Fix: export plain ONNX; never save a model with ONNX Runtime's optimisations on.
    Source: onnxruntime #23072.
    """

    code = "non-portable-op"
    outcome = "no-session"

    def check(self, node: ir.Node, context: InspectionContext) -> Finding | None:
        """See `HeaderRule`."""
        if node.domain not in ("com.microsoft.nchwc", "com.ms.internal.nhwc"):
            return None
        return self.finding(
            node,
            "no session can be created",
            f"{node.domain} holds operators for the machine that the model was optimised on",
            "export the model again, without ONNX Runtime's offline optimisation",
        )
