from __future__ import annotations

import math

import onnx_ir as ir

from webbuild.passes.base import Pass, PassOptions, Rewrite
from webbuild.passes.fusion.remove_unused import remove_unused
from webbuild.passes.rewrite import (
    constant,
    find_nodes,
    is_number,
    known_rank,
    only_reader,
    opset_version,
    replace_all_uses,
)

_DOMAIN, _STANDARD = "com.microsoft", 20
_FLOATS = (ir.DataType.FLOAT, ir.DataType.FLOAT16)


class FuseGelu(Pass):
    """`x * (0.5 * (1 + Erf(x / sqrt(2))))` -> `Gelu(x)`.

        x * (0.5 * (1 + Erf(x / sqrt(2))))          ->  Gelu(x)
        0.5 * x * (1 + Erf(x * 0.70710678))         ->  Gelu(x)

    Why: one shader instead of five. The engine fuses the forms of older exporters; PyTorch's newer exporter writes the
    first of these.

    How: from opset 20 on Gelu is ONNX's operator. Before, it is ONNX Runtime's, which every build has.

    Exact except for rounding: accurate to 1e-6.
    """

    code = "fuse-gelu"
    target = "webgpu"
    after = ("canonicalize", "fold-constants")
    scope = "main graph"
    tolerance = 1e-6

    def apply(self, model: ir.Model, options: PassOptions) -> list[Rewrite]:
        rewrites = []
        for node in find_nodes(model, "Erf"):
            gelu = _gelu_around(node)
            if gelu is None:
                continue
            x, result = gelu
            domain = "" if opset_version(model) >= _STANDARD else _DOMAIN
            if domain:
                model.graph.opset_imports.setdefault(domain, 1)
            name = f"{node.name or 'Erf'}/gelu"
            fused = ir.node("Gelu", [x], domain=domain, name=name)
            fused.outputs[0].name = f"{result.outputs[0].name}/gelu"
            fused.outputs[0].type, fused.outputs[0].shape = x.type, x.shape
            model.graph.insert_before(node, fused)
            replace_all_uses(result.outputs[0], fused.outputs[0])
            remove_unused(model.graph, result)
            rewrites.append(self.applied(node, "is fused with the products around it into a Gelu"))
        return rewrites


def _gelu_around(node: ir.Node) -> tuple[ir.Value, ir.Node] | None:
    """Return the input and the last node of a Gelu around an Erf; None if there is none or the engine fuses it."""
    argument = None if node.inputs[0] is None else node.inputs[0].producer()
    if argument is None or node.outputs[0].dtype not in _FLOATS or argument.op_type not in ("Div", "Mul"):
        return None
    divides = argument.op_type == "Div"
    x, root = (argument.inputs[0], argument.inputs[1]) if divides else _split(argument)
    shifted = only_reader(node.outputs[0], "Add")
    if x is None or not is_number(root, math.sqrt(2) if divides else math.sqrt(0.5)) or shifted is None:
        return None
    if not any(is_number(each, 1) for each in shifted.inputs):
        return None
    product, at, missing = only_reader(shifted.outputs[0], "Mul"), shifted.outputs[0], {"x", "half"}
    order: list[str] = []
    while product is not None:
        other = product.inputs[1] if product.inputs[0] is at else product.inputs[0]
        kinds = _factors(other, x)
        if not kinds or not kinds <= missing:
            return None
        missing -= kinds
        order.append("".join(sorted(kinds)))
        if not missing:
            known = divides and order in (["x", "half"], ["halfx"])  # the engine fuses this form
            adds_axes = known_rank(product.outputs[0]) != known_rank(x)
            return None if known or adds_axes else (x, product)
        at, product = product.outputs[0], only_reader(product.outputs[0], "Mul")
    return None


def _factors(value: ir.Value | None, x: ir.Value) -> set[str]:
    """Return whether a factor is x, 0.5, or their product (both); empty if it is none."""
    if value is x:
        return {"x"}
    if is_number(value, 0.5):
        return {"half"}
    product = None if value is None else value.producer()
    if product is not None and product.op_type == "Mul" and x in product.inputs:
        return {"half", "x"} if any(is_number(each, 0.5) for each in product.inputs) else set()
    return set()


def _split(product: ir.Node) -> tuple[ir.Value | None, ir.Value | None]:
    """Return the computed operand of a product, then the constant operand."""
    first, second = product.inputs
    return (second, first) if constant(first) is not None else (first, second)
