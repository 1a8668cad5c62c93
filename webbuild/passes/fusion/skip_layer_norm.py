from __future__ import annotations

import math

import onnx_ir as ir

from webbuild.model.unused_name import unused_name
from webbuild.passes.base import Pass, PassOptions, Rewrite
from webbuild.passes.builder import Builder
from webbuild.passes.graphs import graph_names
from webbuild.passes.rewrite import (
    constant,
    consumers,
    find_nodes,
    is_read,
    replace_all_uses,
    static_shape,
)

_DOMAIN = "com.microsoft"
_FLOATS = (ir.DataType.FLOAT, ir.DataType.FLOAT16)


class SkipLayerNorm(Pass):
    """`LayerNormalization(Add(x, y))` -> `SkipLayerNormalization(x, y)`, also if other nodes read the sum.

        Add(x, y) -> s, LayerNormalization(s)    ->  SkipLayerNormalization(x, y) -> normalized, s

    Why: the residual blocks of a transformer add and then normalize: a shader each. The engine fuses the two only if
    nothing else reads the sum and no Reshape is in between. In a pre-norm block, the next sum reads it.

    Limits: fixed shapes, both operands of the shape of the sum, the last axis normalized. The operator is ONNX
    Runtime's; every build has its kernel.

    Exact except for the order of a sum: accurate to 1e-5.
    """

    code = "skip-layer-norm"
    target = "webgpu"
    after = ("canonicalize", "fold-constants", "fold-scale", "channels-last-tokens", "fuse-layer-norm")
    scope = "main graph"
    tolerance = 1e-5

    def apply(self, model: ir.Model, options: PassOptions) -> list[Rewrite]:
        rewrites = []
        for node in find_nodes(model, "LayerNormalization"):
            add = _residual_sum(node)
            if add is None:
                continue
            model.graph.opset_imports.setdefault(_DOMAIN, 1)
            _fuse(model.graph, add, node)
            rewrites.append(self.applied(node, f"is fused with {add.op_type} '{add.name}'"))
        return rewrites


def _residual_sum(node: ir.Node) -> ir.Node | None:
    """Return the Add that a LayerNormalization reads; None if they cannot be fused, or the engine fuses them."""
    value, direct = node.inputs[0], True
    shape = static_shape(value)
    if value is None or not shape or value.dtype not in _FLOATS or any(map(is_read, node.outputs[1:])):
        return None
    while (before := value.producer()) is not None and before.op_type == "Reshape" and before.inputs[0] is not None:
        value, direct = before.inputs[0], False  # a Reshape that keeps the rows
    sums = static_shape(value)
    if before is None or before.op_type != "Add" or before.graph is not node.graph or not sums or sums[-1] != shape[-1]:
        return None
    if (direct and len(consumers(value)) < 2) or any(static_shape(operand) != sums for operand in before.inputs):
        return None
    last = node.attributes.get_int("axis", -1) % len(shape) == len(shape) - 1
    weights = node.inputs[1:]
    sized = all(_is_sized(weight, shape[-1]) for weight in weights if weight is not None)
    usual = node.attributes.get_int("stash_type", 1) == 1
    return before if last and sized and usual and weights and weights[0] is not None else None


def _is_sized(weight: ir.Value, width: int) -> bool:
    """Whether a value is a constant [width]: a constant is available where the sum is."""
    return constant(weight) is not None and static_shape(weight) == [width]


def _fuse(graph: ir.Graph, add: ir.Node, node: ir.Node) -> None:
    shape = static_shape(add.outputs[0]) or []
    name = f"{node.name or 'LayerNormalization'}/skip"
    build = Builder(graph, add, name)
    known = len(shape) in (2, 3)  # the kernel takes 2-D and 3-D inputs
    rows = [1, math.prod(shape[:-1]), shape[-1]]
    fused = ir.node(
        "SkipLayerNormalization",
        [*(value if known else build.reshape(value, rows) for value in add.inputs), *node.inputs[1:]],
        attributes={"epsilon": node.attributes.get_float("epsilon", 1e-5)},
        domain=_DOMAIN,
        num_outputs=4,
        name=name,
    )
    graph.insert_before(add, fused)
    normalized, *unused, total = fused.outputs
    for output in unused:
        output.name = ""
    same_shape = known and static_shape(node.outputs[0]) == shape
    for old, new, same in ((add.outputs[0], total, known), (node.outputs[0], normalized, same_shape)):
        new.name = unused_name(graph_names(graph), f"{old.name}/skip")
        new.type = old.type
        new.shape = ir.Shape(shape if known else rows)
        replace_all_uses(old, new if same else build.reshape(new, static_shape(old) or []))
    graph.remove([node, add], safe=True)
