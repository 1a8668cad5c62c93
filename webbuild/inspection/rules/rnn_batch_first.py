"""Recurrent layers whose batch comes first."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.inspection.context import InspectionContext
from webbuild.inspection.finding import Finding
from webbuild.inspection.rules.base import Rule


class RnnBatchFirst(Rule):
    """No session can be created: the batch of a recurrent layer comes before its steps.

    `Batchwise recurrent operations (layout == 1) are not supported`, by native ONNX Runtime either.
    Fix: transpose the input and the output around a layer of layout 0.
    Source: measured on 1.30.0.
    """

    code = "rnn-batch-first"
    operators = ("GRU", "LSTM", "RNN")
    outcome = "no-session"

    def check(self, node: ir.Node, context: InspectionContext) -> Finding | None:
        """See `HeaderRule`."""
        if node.attributes.get_int("layout", 0) == 0:
            return None
        return self.finding(
            node,
            "no session can be created",
            "its layout is 1: the batch comes before the steps",
            "transpose the input and the output around a layer of layout 0",
        )
