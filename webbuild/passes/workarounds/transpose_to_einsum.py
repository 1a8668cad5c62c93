from __future__ import annotations

from collections.abc import Sequence

import onnx_ir as ir

from webbuild.passes.builder import Builder
from webbuild.passes.rewrite import known_rank, opset_version
from webbuild.passes.workarounds.base import DefectContext, PassContext, Symptom, Workaround

_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_FIRST_EINSUM = 12
"""First opset with Einsum."""
_TYPES = (ir.DataType.FLOAT, ir.DataType.FLOAT16)
"""Types for which Einsum has a GPU kernel."""


class TransposeToEinsum(Workaround):
    """ArgMax(Transpose(x [N, C, H, W])) -> ArgMax(Einsum<equation = "abcd->adcb">(x)).

    Defect: a Transpose runs on the CPU: the engine moves it after the ArgMax that reads it, and it becomes int64.

    Why: the engine's optimizer moves a Transpose past every ArgMax and ArgMin, whose result is smaller. No GPU kernel
    transposes int64. Einsum has a GPU kernel, does the same permutation, and is not moved.

    Limits: two cases are not rewritten: the order of the remaining axes does not change, or the Transpose is an output
    of the graph.

    Exact.

    Source: measured on 1.30.0.
    """

    code = "transpose-to-einsum"
    after = ("argmax-int32", "eliminate-no-ops", "canonicalize", "upgrade-opset", "decompose-data-movement")
    finding = "argmax-transpose"
    operators = ("ArgMax", "ArgMin")
    severity = "warning"
    outcome = "cpu"
    summary = "a Transpose on the CPU"
    fix = "take the ArgMax first"
    probe = "argmax_of_a_transpose"

    def affects(self, node: ir.Node, context: DefectContext) -> Symptom | None:
        value = node.inputs[0]
        transpose = None if value is None else value.producer()
        if value is None or transpose is None or transpose.op_type != "Transpose" or value.is_graph_output():
            return None
        order = _order(transpose)
        if order is None or value.dtype not in _TYPES or opset_version(context.model) < _FIRST_EINSUM:
            return None
        left = list(order)
        if not node.attributes.get_int("keepdims", 1):
            del left[node.attributes.get_int("axis", 0)]
        return Symptom("the engine moves the Transpose after it") if left != sorted(left) else None

    def rewrite(self, node: ir.Node, context: PassContext) -> str:
        value = node.inputs[0]
        transpose = None if value is None else value.producer()
        assert value is not None
        assert transpose is not None
        order = _order(transpose) or []
        axes = _LETTERS[: len(order)]
        equation = f"{axes}->{''.join(axes[axis] for axis in order)}"
        add = Builder(context.model.graph, node, f"{transpose.name or 'Transpose'}/einsum")
        moved = add.op("Einsum", transpose.inputs[0], equation=equation)
        moved.shape, moved.type = value.shape, value.type
        node.replace_input_with(0, moved)
        return f"its Transpose is an Einsum, {equation}"


def _order(transpose: ir.Node) -> Sequence[int] | None:
    """Return the permutation of a Transpose, None if its rank is unknown."""
    rank = known_rank(transpose.inputs[0])
    return None if rank is None else transpose.attributes.get_ints("perm", list(reversed(range(rank))))
