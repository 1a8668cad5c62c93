"""Recurrent layers whose batch comes first."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.findings import Finding
from webbuild.inspection.context import Context
from webbuild.inspection.rules._base import Rule


class RecurrentBatchwise(Rule):
    """No session can be created: the batch of a recurrent layer comes before its steps.

    `Batchwise recurrent operations (layout == 1) are not supported`, by native ONNX Runtime either.
    Mend: transpose the input and the output around a layer of layout 0.
    Source: measured on 1.30.0.
    """

    code = "recurrent-batchwise"
    operators = ("GRU", "LSTM", "RNN")
    outcome = "no-session"

    def check(self, node: ir.Node, context: Context) -> Finding | None:
        """See `Rule`."""
        if node.attributes.get_int("layout", 0) == 0:
            return None
        return self.finding(
            node,
            "no session can be created",
            "its layout is 1: the batch comes before the steps",
            "transpose the input and the output around a layer of layout 0",
        )
