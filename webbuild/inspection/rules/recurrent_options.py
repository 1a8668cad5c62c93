"""Options of LSTM and GRU that the GPU does not know."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.findings import Finding
from webbuild.inspection.context import Context, given
from webbuild.inspection.rules._base import Rule


class RecurrentOptions(Rule):
    """Throws: the GPU kernel of LSTM and GRU has no clip, no input_forget, no layout 1, and three activations.

    `LSTM: clip is not supported`, `GRU: batchwise (layout == 1) is not supported`.
    Mend: export without these; lengths of the sequences have to be constant.
    Source: the engine's kernels.
    """

    code = "recurrent-options"
    operators = ("LSTM", "GRU")

    def check(self, node: ir.Node, context: Context) -> Finding | None:
        """See `Rule`."""
        if not context.on_gpu(node):
            return None
        names = [name.lower() for name in node.attributes.get_strings("activations", [])]
        lengths = given(node, 4)
        for bad, what in (
            (node.attributes.get_int("layout", 0) != 0, "the batch comes first (layout is 1)"),
            ("clip" in node.attributes, "it clips"),
            (node.attributes.get_int("input_forget", 0) != 0, "input_forget is 1"),
            (any(name not in ("relu", "tanh", "sigmoid") for name in names), "it has other activations"),
            (lengths is not None and not context.is_known(lengths), "the lengths are computed"),
        ):
            if bad:
                return self.finding(node, "throws", what, "export without it")
        return None
