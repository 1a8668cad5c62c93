"""What a node weighs: the bytes that it reads and writes, and its multiplications."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import prod

import onnx_ir as ir
from msgspec import Struct

from webbuild.bundle.precision import Part
from webbuild.passes._graph import dims
from webbuild.precision.constants import is_constant
from webbuild.precision.slots import Slots


class Weight(Struct, frozen=True):
    """Bytes of a node's weights, bytes of what it computes, and how often it multiplies and adds."""

    stored: int = 0
    computed: int = 0
    flops: int = 0


def weigh(able: Mapping[ir.Node, Slots]) -> dict[str, Weight]:
    """Return by name what the nodes weigh that could be float16. A weight that several read counts for the first."""
    seen: set[ir.Value] = set()
    found = {}
    for node, places in able.items():
        own = [value for index in places.inputs if (value := node.inputs[index]) is not None and is_constant(value)]
        stored = sum(_bytes(value) for value in own if value not in seen)
        seen.update(own)
        computed = sum(_bytes(node.outputs[index]) for index in places.outputs)
        found[node.name or ""] = Weight(stored, computed, _flops(node))
    return found


def share(weights: Mapping[str, Weight], halved: Iterable[str]) -> Part:
    """Return the share of what could be float16 that is."""
    half = [weights[name] for name in halved if name in weights]
    return Part(
        _part((each.stored for each in half), (each.stored for each in weights.values())),
        _part((each.computed for each in half), (each.computed for each in weights.values())),
        _part((each.flops for each in half), (each.flops for each in weights.values())),
    )


def _part(some: Iterable[int], of: Iterable[int]) -> float:
    whole = sum(of)
    return sum(some) / whole if whole else 1.0


def _bytes(value: ir.Value) -> int:
    sizes = dims(value)
    if sizes is None and value.const_value is not None:
        return value.const_value.nbytes
    return 4 * prod(sizes) if sizes is not None else 0


def _flops(node: ir.Node) -> int:
    """Return multiplications of a contraction, else one for each number that is computed."""
    made = sum(prod(dims(value) or [0]) for value in node.outputs[:1])
    if node.op_type in ("Conv", "ConvTranspose") and (sizes := dims(node.inputs[1])):
        source = dims(node.inputs[0]) or [0]
        return prod(source) * prod(sizes[1:]) if node.op_type == "ConvTranspose" else made * prod(sizes[1:])
    if node.op_type in ("MatMul", "Gemm", "Einsum") and (sizes := dims(node.inputs[0])):
        across = node.op_type == "Gemm" and bool(node.attributes.get_int("transA", 0))
        return made * sizes[0 if across else -1]
    return made
