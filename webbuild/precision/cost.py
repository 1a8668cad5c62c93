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
from webbuild.targets.castable_indices import CastableIO


class NodeCost(Struct, frozen=True):
    """Bytes of a node's weights, bytes of its outputs, and multiply-accumulates."""

    weight_bytes: int = 0
    activation_bytes: int = 0
    macs: int = 0


def node_costs(able: Mapping[ir.Node, CastableIO]) -> dict[str, NodeCost]:
    """Return the cost of each convertible node by name. A shared weight counts only for its first reader."""
    seen: set[ir.Value] = set()
    costs = {}
    for node, places in able.items():
        weights = [
            value for index in places.inputs if (value := node.inputs[index]) is not None and is_stored_constant(value)
        ]
        stored = sum(_bytes(value) for value in weights if value not in seen)
        seen.update(weights)
        computed = sum(_bytes(node.outputs[index]) for index in places.outputs)
        costs[node.name or ""] = NodeCost(stored, computed, node_macs(node))
    return costs


def converted_fraction(weights: Mapping[str, NodeCost], fp16_nodes: Iterable[str]) -> ConvertedFraction:
    """Return the float16 fraction of the convertible nodes: of weight bytes, of activation bytes, of MACs."""
    fp16_costs = [weights[name] for name in fp16_nodes if name in weights]
    return ConvertedFraction(
        _fraction((each.weight_bytes for each in fp16_costs), (each.weight_bytes for each in weights.values())),
        _fraction((each.activation_bytes for each in fp16_costs), (each.activation_bytes for each in weights.values())),
        _fraction((each.macs for each in fp16_costs), (each.macs for each in weights.values())),
    )


def _fraction(some: Iterable[int], of: Iterable[int]) -> float:
    whole = sum(of)
    return sum(some) / whole if whole else 1.0


def _bytes(value: ir.Value) -> int:
    sizes = static_shape(value)
    if sizes is None and value.const_value is not None:
        return value.const_value.nbytes
    return 4 * prod(sizes) if sizes is not None else 0
