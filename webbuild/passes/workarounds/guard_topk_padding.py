from __future__ import annotations

import numpy as np
import onnx_ir as ir

from webbuild.passes.analysis.value_ranges import DATA_MOVEMENT_OPS
from webbuild.passes.builder import Builder
from webbuild.passes.rewrite import (
    attribute_values,
    constant,
    constant_number,
    input_value,
    is_read,
    opset_version,
    replace_all_uses,
    replace_output,
    static_shape,
)
from webbuild.passes.workarounds.base import DefectContext, PassContext, Symptom, Workaround

_FLOATS = (ir.DataType.FLOAT, ir.DataType.FLOAT16)
_OPSET = 11
"""First opset with GatherElements and with TopK's `largest`."""
_FILLED = {
    **dict.fromkeys(DATA_MOVEMENT_OPS, (0,)),
    **dict.fromkeys(("ScatterND", "ScatterElements", "Pad"), (0, 2)),
    "Where": (1, 2),
}
"""Indices of the inputs whose elements an operator copies to its output; all inputs for others in `_PASSED_ON`."""
_PASSED_ON = {*_FILLED, "Add", "Sub", "Mul", "Neg", "Concat", "Cast", "Max", "Min", "Clip"}


class GuardTopkPadding(Workaround):
    """TopK(x) -> TopK(Max(x, -3.4028e38)), with the values from GatherElements(x, index).

    Defect: places are wrong: of numbers that are minus infinity, or the least of their type, TopK returns index -1.

    Why: the kernel pads a row to a power of two with the lowest number of the type and index -1. Elements that are not
    above that are sorted after the padding. A mask sets candidates to such a number, so a TopK of more than the
    unmasked candidates returns rows that do not exist. With `largest=0` the same happens with the largest number.

    It depends on the data: if at least k elements are not masked, the answer is right.

    Limits: only if a constant such as minus infinity is written to, added to or multiplied into the input of TopK. Rows
    whose length is a power of two have no padding and are not rewritten.

    Exact, except for a row with both minus infinity and the lowest number: these are sorted by position.

    Source: measured on 1.30.0.
    """

    code = "guard-topk-padding"
    finding = "topk-padding"
    after = (
        *("fold-constants", "static-first-nms", "append-nms", "append-detr-postprocess", "padded-selection"),
        *("dense-boolean-indexing", "selection-columns"),
    )
    operators = ("TopK",)
    severity = "note"
    outcome = "wrong"
    summary = "hidden numbers get index -1"
    fix = "hide candidates with a number such as -1e9"
    probe = "topk_of_masked"

    def affects(self, node: ir.Node, context: DefectContext) -> Symptom | None:
        x = node.inputs[0]
        if x is None or x.dtype not in _FLOATS or _is_power_of_two(node):
            return None
        extreme = _find_extreme(x, float(np.finfo(x.dtype.numpy()).max), _bounding_op(node))
        return None if extreme is None else Symptom(f"it reads numbers that may be {extreme:.5g}")

    def refusal(self, node: ir.Node, context: DefectContext) -> str | None:
        return f"the opset is older than {_OPSET}" if opset_version(context.model) < _OPSET else None

    def rewrite(self, node: ir.Node, context: PassContext) -> str:
        x, k = node.inputs
        assert x is not None
        assert x.dtype is not None
        add = Builder(context.model.graph, node, f"{node.name or 'TopK'}/padding")
        limits = np.finfo(x.dtype.numpy())
        bounding = _bounding_op(node)
        filler, other = (limits.min, limits.max) if bounding == "Max" else (limits.max, limits.min)
        bound = np.nextafter(filler, other)
        clipped = add.op(bounding, x, add.like(x, bound))
        clipped.shape, clipped.type = x.shape, x.type
        new = add.node("TopK", clipped, k, outputs=2, **attribute_values(node))
        for old, output in zip(node.outputs, new, strict=True):
            output.shape, output.type = old.shape, old.type
        values, index = node.outputs
        if is_read(values):
            axis = node.attributes.get_int("axis", -1)
            replace_output(node, add.op("GatherElements", x, new[1], axis=axis))
        replace_all_uses(index, new[1])
        return f"clamps numbers beyond {bound:.5g} to sort them"


def _bounding_op(node: ir.Node) -> str:
    """Return the operator that keeps elements beyond the kernel's padding value."""
    return "Max" if node.attributes.get_int("largest", 1) else "Min"


def _is_power_of_two(node: ir.Node) -> bool:
    """Whether the length of the rows that TopK sorts is a power of two."""
    shape = static_shape(node.inputs[0])
    if shape is None:
        return False
    length = shape[node.attributes.get_int("axis", -1)] if shape else 1
    return length.bit_count() == 1


def _find_extreme(value: ir.Value, limit: float, bounding: str) -> float | None:
    """Return a constant with a magnitude of at least `limit` that flows into a value, None if there is none.

    The search stops at the operator `bounding` with a constant.
    """
    seen: set[ir.Value] = set()
    waiting = [value]
    while waiting:
        current = waiting.pop()
        if current in seen:
            continue
        seen.add(current)
        stored, producer = constant(current), current.producer()
        if stored is not None and stored.dtype.kind == "f" and stored.size:
            beyond = stored[np.abs(stored.astype(np.float64)) >= limit]  # float16 cannot hold the limit
            if beyond.size:
                return float(beyond[0])
        elif producer is not None and producer.op_type in _PASSED_ON and not _is_bounded(producer, limit, bounding):
            at = _FILLED.get(producer.op_type, range(len(producer.inputs)))
            waiting += [each for each in (input_value(producer, index) for index in at) if each is not None]
    return None


def _is_bounded(node: ir.Node, limit: float, bounding: str) -> bool:
    """Whether a node clamps its output, with a constant, so that it cannot reach the kernel's padding value."""
    if node.op_type == "Clip":
        bounds = [constant_number(input_value(node, 1 if bounding == "Max" else 2))]
    else:
        bounds = [constant_number(each) for each in node.inputs] if node.op_type == bounding else []
    return any(bound is not None and abs(bound) < limit for bound in bounds)
