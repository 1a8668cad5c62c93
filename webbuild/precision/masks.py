"""Numbers that stand for "look away here", -1e9 or the least of float32, which float16 would make infinite."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir

from webbuild.passes._graph import users
from webbuild.precision.constants import LARGEST, numbers
from webbuild.precision.kinds import MOVING
from webbuild.precision.names import free

MASKED = -1e4
"""What a mask becomes: added to a score it stays finite, and exp of it is 0 in float16 and in float32."""
_WAY = MOVING | {"Add", "Sub", "Mul", "Where", "Max", "Min", "Cast", "ScatterND", "ConstantOfShape"}
"""What may lie between the number and the operator that looks away."""
_LOOKS = {"Softmax", "TopK", "ArgMax", "ReduceMax"}
LIMITS = frozenset({"Clip", "Max", "Min", "Greater", "GreaterOrEqual", "Less", "LessOrEqual"})
"""Operators to which a number beyond float16 says the same as the last one within."""


def soften(model: ir.Model) -> list[str]:
    """Make masks beyond float16 -1e4, in a graph of float32. Returns the names of the constants.

    A constant is a mask if what it gets into is compared with other scores and goes no other way: into a Softmax, a
    TopK, a maximum. A score of -1e4 loses there as -1e9 does, unless scores themselves are as low. Where nothing but
    masked scores is compared, the answer is the same, since all of them are equal.
    """
    softened = []
    for node in list(model.graph):
        for index, value in enumerate(node.inputs):
            array = None if value is None else numbers(value)
            if value is None or array is None or not _is_mask(array) or not _only_looked_at(node, index):
                continue
            changed = np.where(np.isfinite(array) & (array < -LARGEST), np.float32(MASKED), array)
            node.replace_input_with(index, _constant(model.graph, f"{value.name}/masked", changed))
            softened.append(value.name or "")
    return list(dict.fromkeys(softened))


def limited(
    array: np.ndarray[tuple[int, ...], np.dtype[np.float32]],
) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    """Return a limit within float16: what lies beyond is the last number, infinities are as they were."""
    return np.where(np.isfinite(array), np.clip(array, -LARGEST, LARGEST), array).astype(np.float32)


def _is_mask(array: np.ndarray[tuple[int, ...], np.dtype[np.float32]]) -> bool:
    beyond = array[np.isfinite(array) & (np.abs(array) > LARGEST)]
    return bool(beyond.size) and bool((beyond < 0).all())


def _only_looked_at(node: ir.Node, index: int) -> bool:
    """Whether everything that a number gets into is compared in the end."""
    if not _passes_on(node, index):
        return False
    waiting, seen = list(node.outputs), set(node.outputs)
    while waiting:
        value = waiting.pop()
        if value.is_graph_output():
            return False
        for use in value.uses():
            reader = use.node
            if reader.op_type in _LOOKS and use.idx == 0:
                continue
            if not _passes_on(reader, use.idx):
                return False
            fresh = [given for given in reader.outputs if given not in seen]
            seen.update(fresh)
            waiting += fresh
    return bool(users(node.outputs[0]))


def _passes_on(node: ir.Node, index: int) -> bool:
    return node.op_type in _WAY and not (node.op_type == "Sub" and index == 1)


def _constant(graph: ir.Graph, base: str, array: np.ndarray[tuple[int, ...], np.dtype[np.float32]]) -> ir.Value:
    name = free(base, graph.initializers)
    tensor = ir.tensor(array.astype(np.float32), name=name)
    value = ir.Value(name=name, const_value=tensor, type=ir.TensorType(tensor.dtype), shape=ir.Shape(array.shape))
    graph.register_initializer(value)
    return value
