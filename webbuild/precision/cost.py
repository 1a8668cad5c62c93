"""Cost of a node: bytes read and written, and multiplications."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import prod

import onnx_ir as ir
from msgspec import Struct

from webbuild.inspection.macs import node_macs
from webbuild.passes.rewrite import static_shape
from webbuild.precision.constant_overflow import is_stored_constant
from webbuild.precision.report import ConvertedFraction
from webbuild.targets.castable_places import CastableIO


class NodeCost(Struct, frozen=True):
    """Bytes of a node's weights, bytes of what it computes, and how often it multiplies and adds."""

    weight_bytes: int = 0
    activation_bytes: int = 0
    macs: int = 0


def node_costs(able: Mapping[ir.Node, CastableIO]) -> dict[str, NodeCost]:
    """Return by name what the nodes weigh that could be float16. A weight that several read counts for the first."""
    seen: set[ir.Value] = set()
    found = {}
    for node, places in able.items():
        own = [
            value for index in places.inputs if (value := node.inputs[index]) is not None and is_stored_constant(value)
        ]
        stored = sum(_bytes(value) for value in own if value not in seen)
        seen.update(own)
        computed = sum(_bytes(node.outputs[index]) for index in places.outputs)
        found[node.name or ""] = NodeCost(stored, computed, node_macs(node))
    return found


def converted_fraction(weights: Mapping[str, NodeCost], halved: Iterable[str]) -> ConvertedFraction:
    """Return which fraction of the nodes that could be float16 is: of weight bytes, of activation bytes, of MACs."""
    half = [weights[name] for name in halved if name in weights]
    return ConvertedFraction(
        _fraction((each.weight_bytes for each in half), (each.weight_bytes for each in weights.values())),
        _fraction((each.activation_bytes for each in half), (each.activation_bytes for each in weights.values())),
        _fraction((each.macs for each in half), (each.macs for each in weights.values())),
    )


def _fraction(some: Iterable[int], of: Iterable[int]) -> float:
    whole = sum(of)
    return sum(some) / whole if whole else 1.0


def _bytes(value: ir.Value) -> int:
    sizes = static_shape(value)
    if sizes is None and value.const_value is not None:
        return value.const_value.nbytes
    return 4 * prod(sizes) if sizes is not None else 0
