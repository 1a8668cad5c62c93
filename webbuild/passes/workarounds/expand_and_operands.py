from __future__ import annotations

from collections.abc import Iterator, Sequence

import onnx_ir as ir

from webbuild.passes.builder import Builder
from webbuild.passes.rewrite import static_shape
from webbuild.passes.workarounds.base import DefectContext, PassContext, Symptom, Workaround
from webbuild.passes.workarounds.expand_operands import VECTOR, expand_operands

_BOTH = (True, True)


class ExpandAndOperands(Workaround):
    """And(x [.., 4k], y [.., 1]) -> And(x, Expand(y, [.., 4k])), if another And is broadcast differently.

    Defect: the answer is wrong: a broadcast And reuses the cached shader of an And that is broadcast differently.

    Why: a shader of And reads an operand four elements at a time if its last axis is a multiple of 4. The engine's
    shader cache key does not contain which operands these are. Which And is wrong depends on the order in which they
    first run. Two operands of the same shape have a separate shader.

    Limits: both shapes must be fixed.

    Exact: the same booleans at the same positions.

    Source: measured on 1.30.0.
    """

    code = "expand-and-operands"
    after = ("fold-constants", "decompose-logic", "decompose-bool-where")
    finding = "and-shader-cache"
    operators = ("And",)
    outcome = "wrong"
    fix = "give both sides of each And one shape"
    probe = "ands_of_two_layouts"

    def affects(self, node: ir.Node, context: DefectContext) -> Symptom | None:
        layout = _layout(node)
        others = {_layout(other) for other in _nodes(context)} - {layout, None}
        if layout in (None, _BOTH) or not others:
            return None
        shapes = " and ".join(str(static_shape(value)) for value in node.inputs)
        return Symptom(f"it is of {shapes}, another And is broadcast otherwise, and they may share a shader")

    def rewrite(self, node: ir.Node, context: PassContext) -> str:
        return expand_operands(Builder(context.model.graph, node, f"{node.name or 'And'}/operands"), node)


def _nodes(context: DefectContext) -> Iterator[ir.Node]:
    """Yield every And on the GPU, including those in bodies of If and Loop."""
    for node in context.model.graph.all_nodes():
        if node.op_type == "And" and context.on_gpu(node):
            yield node


def _layout(node: ir.Node) -> tuple[bool, bool] | None:
    """Return which operands the shader reads four elements at a time, None for a node with another shader."""
    left, right = map(static_shape, node.inputs)
    if not left or not right or left == right:
        return None
    fours = left[-1] % VECTOR == 0, right[-1] % VECTOR == 0
    if any(fours):
        return fours
    return _BOTH if _shared_tail(left, right) % VECTOR == 0 else None


def _shared_tail(left: Sequence[int], right: Sequence[int]) -> int:
    """Return the number of elements of the trailing axes that both shapes share."""
    count = 1
    for one, other in zip(reversed(left), reversed(right), strict=False):
        if one != other:
            break
        count *= one
    return count
