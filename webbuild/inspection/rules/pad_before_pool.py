"""Zeros around a picture before a pool."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.findings import Finding
from webbuild.inspection.context import Context
from webbuild.inspection.rules._base import Rule
from webbuild.passes.pads_before_pools import mistake, pool_behind


class PadBeforePool(Rule):
    """The answer is wrong, or no session is made: the engine takes a Pad of zeros for the border of a pool.

    Its optimiser adds the sizes of a Pad with zeros to the pads of the MaxPool or AveragePool behind it, in every
    build, WASM too. A pool leaves its own border out, where the zeros counted: the largest of negative numbers and
    zeros comes out negative. Rounding up gives another size, and a border as wide as the window no session. With
    graphOptimizationLevel `disabled` it is right.
    Mend: pad with -0, which is equal and not recognised.
    Source: measured on 1.30.0.
    """

    code = "pad-before-pool"
    operators = ("Pad",)
    outcome = "wrong"
    passes = ("pads-before-pools",)

    def check(self, node: ir.Node, context: Context) -> Finding | None:
        """See `Rule`."""
        pool = pool_behind(node)
        ending = None if pool is None else mistake(node, pool)
        if pool is None or ending is None:
            return None
        what = "no session" if ending == "no-session" else "wrong answer"
        why = f"the optimiser takes its zeros for the border of the {pool.op_type} behind it"
        return self.finding(node, what, why, "pad with -0, which is equal and not recognised", outcome=ending)
