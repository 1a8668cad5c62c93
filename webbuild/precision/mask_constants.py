"""Mask constants, such as -1e9 or the smallest float32, which become infinite in float16."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir

from webbuild.model.unused_name import unused_name
from webbuild.passes.rewrite import consumers
from webbuild.precision.constant_overflow import FP16_MAX, float32_array
from webbuild.precision.op_classes import DATA_MOVEMENT_OPS

_FP16_MASK_VALUE = -1e4
"""Replacement of a mask constant: added to a score it stays finite, and its exp is 0 in float16 and float32."""
_PASS_THROUGH_OPS = DATA_MOVEMENT_OPS | {
    "Add",
    "Sub",
    "Mul",
    "Where",
    "Max",
    "Min",
    "Cast",
    "ScatterND",
    "ConstantOfShape",
}
"""Operators that may be between the constant and the selecting operator."""
_SELECTING_OPS = {"Softmax", "TopK", "ArgMax", "ReduceMax"}
COMPARING_OPS = frozenset({"Clip", "Max", "Min", "Greater", "GreaterOrEqual", "Less", "LessOrEqual"})
"""Operators with the same result for a limit beyond float16 as for the largest float16 number."""


def clamp_masks(model: ir.Model) -> list[str]:
    """Replace mask constants beyond float16 by -1e4 in a float32 graph; return their names.

        scores + (-1e9) -> Softmax    becomes    scores + (-1e4) -> Softmax

    A constant is a mask if every value computed from it ends in an operator that compares scores: Softmax, TopK or a
    maximum. There -1e4 loses like -1e9, unless real scores are as low. If all compared scores are masked, the result
    does not change, because they stay equal.
    """
    softened = []
    for node in list(model.graph):
        for index, value in enumerate(node.inputs):
            array = None if value is None else float32_array(value)
            if value is None or array is None or not _is_mask(array) or not _is_only_compared(node, index):
                continue
            changed = np.where(np.isfinite(array) & (array < -FP16_MAX), np.float32(_FP16_MASK_VALUE), array)
            node.replace_input_with(index, _constant(model.graph, f"{value.name}/masked", changed))
            softened.append(value.name or "")
    return list(dict.fromkeys(softened))


def clamp_to_fp16(
    array: np.ndarray[tuple[int, ...], np.dtype[np.float32]],
) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    """Clamp finite elements to the range of float16; infinities stay."""
    return np.where(np.isfinite(array), np.clip(array, -FP16_MAX, FP16_MAX), array).astype(np.float32)


def _is_mask(array: np.ndarray[tuple[int, ...], np.dtype[np.float32]]) -> bool:
    beyond = array[np.isfinite(array) & (np.abs(array) > FP16_MAX)]
    return bool(beyond.size) and bool((beyond < 0).all())


def _is_only_compared(node: ir.Node, index: int) -> bool:
    """Whether every value computed from an input ends in a selecting operator."""
    if not _passes_through(node, index):
        return False
    waiting, seen = list(node.outputs), set(node.outputs)
    while waiting:
        value = waiting.pop()
        if value.is_graph_output():
            return False
        for use in value.uses():
            reader = use.node
            if reader.op_type in _SELECTING_OPS and use.idx == 0:
                continue
            if not _passes_through(reader, use.idx):
                return False
            fresh = [output for output in reader.outputs if output not in seen]
            seen.update(fresh)
            waiting += fresh
    return bool(consumers(node.outputs[0]))


def _passes_through(node: ir.Node, index: int) -> bool:
    return node.op_type in _PASS_THROUGH_OPS and not (node.op_type == "Sub" and index == 1)


def _constant(graph: ir.Graph, base: str, array: np.ndarray[tuple[int, ...], np.dtype[np.float32]]) -> ir.Value:
    name = unused_name(graph.initializers, base)
    tensor = ir.tensor(array.astype(np.float32), name=name)
    value = ir.Value(name=name, const_value=tensor, type=ir.TensorType(tensor.dtype), shape=ir.Shape(array.shape))
    graph.register_initializer(value)
    return value
