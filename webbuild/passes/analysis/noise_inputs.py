"""Inputs that scale random noise, such as `scales` of a text-to-speech network (VITS, Piper)."""

from __future__ import annotations

import math

import onnx_ir as ir

from webbuild.passes.rewrite import constant, known_rank, static_shape

_NOISE = frozenset({"RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike"})
_SAME_ELEMENTS = frozenset({"Cast", "Expand", "Identity", "Reshape", "Squeeze", "Transpose", "Unsqueeze"})
"""Operators that keep the values of their first input."""
_PROPORTIONAL = _SAME_ELEMENTS | {"Div", "Mul", "Neg", "Slice"}
"""Operators that give zeros if their first input, of Mul one of both, is zeros."""


def noise_numbers(model: ir.Model) -> dict[str, tuple[int, ...]]:
    """Return by input the indices of its numbers with which random noise is multiplied.

        Mul(Mul(RandomNormalLike(x), e), Gather(scales, 2))   ->   {"scales": (2,)}

    Only inputs of one number, and single numbers of a vector: a factor of more numbers may be a mask.
    """
    found: dict[str, set[int]] = {}
    pending = [node.outputs[0] for node in model.graph if node.op_type in _NOISE]
    seen = set(pending)
    while pending:
        for node, index in pending.pop().uses():
            if node.op_type not in _PROPORTIONAL or (index and node.op_type != "Mul"):
                continue
            if node.op_type == "Mul" and (number := _input_number(node.inputs[1 - index])) is not None:
                found.setdefault(number[0], set()).add(number[1])
            pending += [each for each in node.outputs if each not in seen]
            seen.update(node.outputs)
    return {name: tuple(sorted(indices)) for name, indices in found.items()}


def _input_number(value: ir.Value | None) -> tuple[str, int] | None:
    """Return the input and the index of the number that a value repeats, None if it is not one number of an input."""
    index = None
    while value is not None and (node := value.producer()) is not None:
        picked = constant(node.inputs[1]) if node.op_type == "Gather" else None
        if picked is not None and picked.size == 1 and index is None and known_rank(node.inputs[0]) == 1:
            index = int(picked.flat[0])
        elif node.op_type not in _SAME_ELEMENTS:
            return None
        value = node.inputs[0]
    shape = static_shape(value)
    if value is None or shape is None or not value.is_graph_input() or value.is_initializer():
        return None
    size = math.prod(shape)
    if size != 1 and (index is None or not -size <= index < size):
        return None
    return value.name or "", (index or 0) % size
