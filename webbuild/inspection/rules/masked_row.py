"""Rows of a Softmax that are masked altogether."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir

from webbuild.findings import Finding
from webbuild.inspection.context import Context, given, is_empty, numbers
from webbuild.inspection.rules._base import Rule
from webbuild.inspection.rules.nan_dropped import is_fed


class MaskedRow(Rule):
    """The answer may be zeros where the CPU's is NaN: a Softmax over nothing but negative infinity.

    It is 0 / 0, and the GPU gives 0. Attention masks of -inf lead there, where a query may look at nothing.
    Mend: mask with a large negative number, such as -1e4. Where an input of the graph is read, force-cpu: that lies on
    the CPU anyway. On the default entry's build such a model steps to WASM.
    Source: measured on 1.24.3 to 1.31.0-dev.
    """

    code = "masked-row"
    operators = ("Softmax",)
    severity = "note"
    outcome = "wrong"

    def check(self, node: ir.Node, context: Context) -> Finding | None:
        """See `Rule`."""
        source = node.inputs[0]
        if not context.on_gpu(node) or is_empty(source):
            return None
        what, fix = "a row of -inf becomes 0, not NaN", "mask with -1e4 instead of -inf"
        if is_fed(source):
            return self.finding(node, what, "it reads an input of the graph", fix, mended_by="force-cpu")
        producer = None if source is None else source.producer()
        if producer is None or producer.op_type not in ("Add", "Where"):
            return None
        masks = [index for index in range(len(producer.inputs)) if _holds_infinity(producer, index)]
        if not masks:
            return None
        return self.finding(node, what, f"{producer.op_type} before it puts -inf in its place", fix)


def _holds_infinity(node: ir.Node, index: int) -> bool:
    stored = None if given(node, index) is None else numbers(node, index)
    return stored is not None and stored.dtype.kind == "f" and bool(np.isneginf(stored).any())
