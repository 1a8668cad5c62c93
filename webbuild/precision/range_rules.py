"""Range rules: nodes that must stay float32 because of their measured values on the samples."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import onnx_ir as ir

from webbuild.precision.activation_ranges import ActivationRange, ActivationRanges
from webbuild.precision.castable_io import is_float32
from webbuild.precision.constant_overflow import FP16_MAX, FP16_MIN_NORMAL, float32_array, is_stored_constant
from webbuild.precision.op_classes import DATA_MOVEMENT_OPS, MATMUL_OPS
from webbuild.precision.reduction_overflow import partial_sum_bound
from webbuild.targets.castable_indices import CastableIO

_HEADROOM = 4
"""Assumed ratio of values on other inputs to values on the samples."""
_MAX_EXACT_INT = 2048
"""Above this float16 skips integers: a coordinate is off by a pixel."""
_MAX_ANGLE = 16.0
"""The largest angle with two decimals in float16."""
_MIN_WEIGHT_SIZE = 64
"""Minimum number of elements for a constant of a matrix product or convolution to count as a weight."""
_POSTPROCESS_OPS = DATA_MOVEMENT_OPS | {
    "Sub", "Add", "Clip", "Max", "Min", "Mul", "Sqrt", "Neg", "ReduceSum", "ReduceMean", "Pow", "Abs", "Exp",
}  # fmt: skip
"""Operators through which the producer of a small divisor is searched."""


def find_out_of_range(model: ir.Model, able: Mapping[ir.Node, CastableIO], ranges: ActivationRanges) -> dict[str, str]:
    """Return by name the nodes with values beyond the range or precision of float16, and the reason."""
    reasons: dict[str, str] = {}
    tail = _postprocess_nodes(model.graph)
    for node, places in able.items():
        for value in _values(node, places):
            known = ranges.get(value.name or "")
            if known is None:
                continue
            if known.largest_magnitude * _HEADROOM > FP16_MAX:
                reasons.setdefault(
                    node.name or "", f"values reach {known.largest_magnitude:.3g}, and float16 ends at 65504"
                )
            elif known.largest_magnitude > _MAX_EXACT_INT and node in tail:
                reasons.setdefault(
                    node.name or "",
                    f"coordinates up to {known.largest_magnitude:.0f}: float16 is exact only up to {_MAX_EXACT_INT}",
                )
        if (most := partial_sum_bound(node, ranges)) is not None and most > FP16_MAX:
            reasons.setdefault(node.name or "", f"its partial sums may reach {most:.3g}, and float16 ends at 65504")
        for maker, reason in _division_by_small(node, ranges):
            if maker in able:
                reasons.setdefault(maker.name or "", reason)
    return reasons


def _values(node: ir.Node, places: CastableIO) -> Iterator[ir.Value]:
    """Yield the computed inputs and outputs of a node that would be float16."""
    for index in sorted(places.inputs):
        value = node.inputs[index]
        if value is not None and not is_stored_constant(value):
            yield value
    yield from (node.outputs[index] for index in sorted(places.outputs))


def _postprocess_nodes(graph: ir.Graph) -> set[ir.Node]:
    """Return the nodes after all weights: the post-processing in the graph."""
    network: set[ir.Node] = set()
    for node in reversed(list(graph)):
        if node in network:
            continue
        if (node.op_type in MATMUL_OPS and any(_is_weight(value) for value in node.inputs)) or any(
            use.node in network for value in node.outputs for use in value.uses()
        ):
            network.add(node)
    return {node for node in graph if node not in network}


def _is_weight(value: ir.Value | None) -> bool:
    return (
        value is not None
        and is_stored_constant(value)
        and (float32_array(value) is not None)
        and _size(value) >= _MIN_WEIGHT_SIZE
    )


def _size(value: ir.Value) -> int:
    return 0 if value.const_value is None else value.const_value.size


def _division_by_small(node: ir.Node, ranges: ActivationRanges) -> Iterator[tuple[ir.Node, str]]:
    """Yield a node that turns small inputs into large outputs, such as a Div, and the nodes that made them small."""
    divisor = node.inputs[1 if node.op_type == "Div" else 0] if node.inputs else None
    if divisor is None or is_stored_constant(divisor):
        return
    known = ranges.get(divisor.name or "", ActivationRange())
    if node.op_type in ("Sin", "Cos", "Tan") and known.largest_magnitude > _MAX_ANGLE:
        yield node, f"angles up to {known.largest_magnitude:.3g}: float16 keeps less than two decimals of them"
    if node.op_type not in ("Div", "Log", "Sqrt", "Reciprocal") or known.smallest_magnitude >= FP16_MIN_NORMAL:
        return
    reason = (
        f"values as small as {known.smallest_magnitude:.2g} become 0 in float16 before a division, root or logarithm"
    )
    yield node, reason
    waiting = [divisor]
    while waiting:
        value = waiting.pop()
        maker = value.producer()
        if (
            maker is None
            or maker.op_type not in _POSTPROCESS_OPS
            or ranges.get(value.name or "", ActivationRange()).smallest_magnitude >= FP16_MIN_NORMAL
        ):
            continue
        yield maker, reason
        waiting += [one for one in maker.inputs if one is not None and is_float32(one) and not is_stored_constant(one)]
