"""Numbers that the type they are cast to does not hold."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.inspection.context import InspectionContext, dtype_name, is_small_input
from webbuild.inspection.finding import Finding
from webbuild.inspection.rules.base import Rule

_WHOLE = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64")


class CastOutOfRange(Rule):
    """The answer differs for numbers out of range: ONNX leaves open what a Cast of float makes of them.

    x86 gives the lowest int32 for 3e9, and 255 for -1 as uint8. WebAssembly and the GPU stop at the nearest number
    that there is, the largest int32 and 0, so that the CPU of a browser is no help. A picture that is cast to uint8
    with a pixel of -1 or 256 is where it shows.
    Fix: Clip before the Cast.
    Source: measured on 1.24.3 to 1.31.0-dev; ONNX, Cast.
    """

    code = "cast-out-of-range"
    operators = ("Cast",)
    severity = "note"
    outcome = "wrong"

    def check(self, node: ir.Node, context: InspectionContext) -> Finding | None:
        """See `HeaderRule`."""
        source, kind = node.inputs[0], dtype_name(node.outputs[0])
        if not context.on_gpu(node) or dtype_name(source) not in ("float", "float16") or kind not in _WHOLE:
            return None
        what, fix = f"numbers out of {kind} differ from the CPU's", "put a Clip before it"
        if is_small_input(source):
            assert source is not None
            why = f"'{source.name}' is an input of the graph, and may hold any"
            return self.finding(node, what, why, fix)
        producer = None if source is None else source.producer()
        if kind not in ("int8", "uint8") or (producer is not None and producer.op_type == "Clip"):
            return None
        return self.finding(node, what, "ONNX leaves open what a Cast makes of them", fix)
