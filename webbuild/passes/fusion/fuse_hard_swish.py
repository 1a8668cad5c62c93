from __future__ import annotations

import math

import onnx_ir as ir

from webbuild.passes.analysis.kernel_lookup import has_kernel
from webbuild.passes.base import Pass, PassOptions, Rewrite
from webbuild.passes.builder import Builder
from webbuild.passes.fusion.remove_unused import remove_unused
from webbuild.passes.opset.raise_opset import raise_opset
from webbuild.passes.rewrite import (
    find_nodes,
    input_value,
    is_number,
    known_rank,
    only_reader,
    producer_of,
    replace_all_uses,
)

_OPSET = 14
"""First opset with HardSwish."""


class FuseHardSwish(Pass):
    """`x * Clip(x + 3, 0, 6) / 6` -> `HardSwish(x)`.

        x * HardSigmoid<alpha = 1/6, beta = 0.5>(x)    ->  HardSwish(x)
        x * Clip(x + 3, 0, 6) / 6                      ->  HardSwish(x)

    Why: one shader instead of two to four, after most convolutions of a MobileNetV3.

    How: exports of opsets before 14 do not have the operator. Such a model is converted to opset 14 first.

    Limits: float32; the build must have a kernel for HardSwish.

    Exact except for rounding: accurate to 1e-6.
    """

    code = "fuse-hard-swish"
    target = "webgpu"
    after = ("canonicalize", "fold-constants")
    scope = "main graph"
    tolerance = 1e-6

    def apply(self, model: ir.Model, options: PassOptions) -> list[Rewrite]:
        hard_swishes = [node for node in find_nodes(model, "Div", "Mul") if _argument(node) is not None]
        if not hard_swishes or not has_kernel(model, "HardSwish", "float", options, _OPSET):
            return []
        if (reason := raise_opset(model, _OPSET)) is not None:
            return [self.skipped(hard_swishes[0], reason)]
        rewrites = []
        for node in find_nodes(model, "Div", "Mul"):
            x = _argument(node)  # computed again: the opset conversion may have replaced nodes
            if x is None:
                continue
            fused = Builder(model.graph, node, f"{node.name or node.op_type}/swish").op("HardSwish", x)
            fused.type, fused.shape = x.type, x.shape
            replace_all_uses(node.outputs[0], fused)
            remove_unused(model.graph, node)
            rewrites.append(self.applied(node, "is fused with the nodes before it into a HardSwish"))
        return rewrites


def _argument(node: ir.Node) -> ir.Value | None:
    """Return x if a node computes HardSwish(x); None if not, or if a constant adds axes."""
    x, result = _argument_of_any_rank(node), node.outputs[0]
    rank = known_rank(x)
    return x if rank is not None and rank == known_rank(result) and result.dtype == ir.DataType.FLOAT else None


def _argument_of_any_rank(node: ir.Node) -> ir.Value | None:
    if node.op_type == "Div":  # x * Clip(x + 3, 0, 6) / 6
        product = producer_of(node.inputs[0], "Mul")
        if product is None or not is_number(node.inputs[1], 6) or only_reader(product.outputs[0]) is None:
            return None
        return next((x for x, other in _operands(product) if _is_relu6(other, x)), None)
    return next((x for x, other in _operands(node) if _is_hard_sigmoid(other, x)), None)


def _operands(node: ir.Node) -> list[tuple[ir.Value, ir.Value]]:
    first, second = node.inputs
    return [] if first is None or second is None else [(first, second), (second, first)]


def _is_hard_sigmoid(value: ir.Value, x: ir.Value) -> bool:
    """Whether a value is PyTorch's HardSigmoid(x) or Clip(x + 3, 0, 6) / 6, and has one reader."""
    node = producer_of(value, "HardSigmoid", "Div", "Mul")
    if node is None or only_reader(value) is None:
        return False
    if node.op_type == "HardSigmoid":
        alpha, beta = node.attributes.get_float("alpha", 0.2), node.attributes.get_float("beta", 0.5)
        return node.inputs[0] is x and math.isclose(alpha, 1 / 6, rel_tol=2e-6) and beta == 0.5
    if node.op_type == "Div":
        return is_number(node.inputs[1], 6) and _is_relu6(node.inputs[0], x)
    return any(is_number(factor, 1 / 6) and _is_relu6(clipped, x) for clipped, factor in _operands(node))


def _is_relu6(value: ir.Value | None, x: ir.Value) -> bool:
    """Whether a value is Clip(x + 3, 0, 6), and has one reader."""
    node = producer_of(value, "Clip")
    shifted = None if node is None else producer_of(node.inputs[0], "Add")
    if value is None or node is None or shifted is None:
        return False
    if only_reader(value) is None or only_reader(shifted.outputs[0]) is None:
        return False
    bounded = is_number(input_value(node, 1), 0) and is_number(input_value(node, 2), 6)
    return bounded and any(first is x and is_number(second, 3) for first, second in _operands(shifted))
