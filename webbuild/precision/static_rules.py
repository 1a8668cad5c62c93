"""Static rules: nodes that must stay float32, known without running the graph."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from math import prod

import onnx_ir as ir

from webbuild.inspection.graph import prepare_graph, subgraphs, walk_nodes
from webbuild.inspection.placement import place_nodes
from webbuild.passes.analysis.normalized_axes import normalized_axes
from webbuild.passes.rewrite import static_shape
from webbuild.passes.workarounds.cpu_fallback import cpu_node_names
from webbuild.precision.castable_io import is_float32, reads_only_shape
from webbuild.precision.constant_overflow import (
    FP16_MAX,
    FP16_MIN_NORMAL,
    MAX_PARAMETER_SIZE,
    distance_from_one,
    float32_array,
    overflow_reason,
    overflows,
)
from webbuild.precision.index_arithmetic import find_index_arithmetic
from webbuild.precision.mask_constants import COMPARING_OPS, clamp_to_fp16
from webbuild.targets.castable_indices import CastableIO
from webbuild.targets.table import KernelTable

_BYPASSED_OPS = ("Identity", "Dropout")
"""Operators that ONNX Runtime removes from a graph: their type is their input's type."""
_ADDED_INPUTS = {"Add": (0, 1), "Sub": (0, 1), "Conv": (2,), "ConvTranspose": (2,), "Gemm": (2,)}
"""Inputs that are added to a float16 value: a small bias may vanish next to it. (An epsilon is a parameter.)"""
_LONG_AXIS = 2048
"""Largest number of terms for which a float16 sum of ones is exact: 2048 + 1 is 2048."""


def static_fp32_reasons(
    model: ir.Model, able: Mapping[ir.Node, CastableIO], table: KernelTable | None
) -> dict[str, str]:
    """Return by name why nodes must stay float32."""
    fp32_reasons: dict[str, str] = {}
    for reasons in (
        _unconvertible(model.graph, able),
        _not_on_gpu(model, table),
        find_index_arithmetic(model.graph).items(),
        _constants(able),
        _long_rows(able),
    ):
        for node, reason in reasons:
            fp32_reasons.setdefault(node.name or "", reason)
    return fp32_reasons


def _unconvertible(graph: ir.Graph, able: Mapping[ir.Node, CastableIO]) -> Iterator[tuple[ir.Node, str]]:
    for node in graph:
        if any(True for _ in subgraphs(node)):
            yield node, "has a subgraph, and subgraphs stay float32"
            for maker in _subgraph_output_producers(node):
                yield maker, "a subgraph returns its output"
        elif node not in able and node.op_type != "Cast" and not reads_only_shape(node) and _has_floats(node):
            yield node, "its operator takes no float16, or its values are an attribute"


def _subgraph_output_producers(node: ir.Node) -> Iterator[ir.Node]:
    """Yield the outer nodes with outputs that a node's subgraphs return unchanged."""
    for _, graph in subgraphs(node):
        for value in graph.outputs:
            if (maker := value.producer()) is not None and maker.graph is not graph:
                yield maker


def _has_floats(node: ir.Node) -> bool:
    return any(map(is_float32, (*node.inputs, *node.outputs)))


def _not_on_gpu(model: ir.Model, table: KernelTable | None) -> Iterator[tuple[ir.Node, str]]:
    """Yield the nodes that do not run on the GPU, or do not run at all."""
    if table is None:
        return
    copy, nodes = prepare_graph(model, {})
    named = {node.name: node for node in model.graph}
    where = {
        "cpu": "runs on the CPU",
        "folded": "computed once, when the session is created",
        "none": "no GPU or CPU kernel",
    }
    placings = place_nodes(nodes, table, cpu_node_names(copy))
    for each in walk_nodes(copy.graph):
        if each.node.op_type in _BYPASSED_OPS:
            continue
        reason = where.get(placings[each.node].kind)
        if reason and each.parent is None and not reads_only_shape(each.node) and _has_floats(named[each.node.name]):
            yield named[each.node.name], reason


def _constants(able: Mapping[ir.Node, CastableIO]) -> Iterator[tuple[ir.Node, str]]:
    """Yield nodes with constants that float16 cannot represent, and nodes after them that would compute with zero."""
    for node, castable in able.items():
        for index in sorted(castable.inputs):
            value = node.inputs[index]
            array = None if value is None else float32_array(value)
            if array is None:
                continue
            clamped = clamp_to_fp16(array) if node.op_type in COMPARING_OPS else array
            if (
                clamped.size > MAX_PARAMETER_SIZE
                and index in _ADDED_INPUTS.get(node.op_type, ())
                and not overflows(clamped)
            ):
                continue
            if reason := overflow_reason(clamped):
                yield node, reason
                small = abs(clamped[clamped != 0])
                if clamped.size <= MAX_PARAMETER_SIZE and float(small.min()) < FP16_MIN_NORMAL:
                    yield from _meeting_zero(node, float(small.min()), able)
            elif node.op_type in COMPARING_OPS and (left := distance_from_one(clamped)):
                yield node, f"its bound of 1 - {left:.2g} becomes 1 in float16"
                for reader in (use.node for output in node.outputs for use in output.uses()):
                    if reader in able and reader.op_type == "Sub":
                        yield reader, f"its result may be as small as {left:.2g}, which float16 loses next to 1"
                        yield from _meeting_zero(reader, left, able)


def _meeting_zero(node: ir.Node, least: float, able: Mapping[ir.Node, CastableIO]) -> Iterator[tuple[ir.Node, str]]:
    """Yield the roots, quotients and logarithms of values that may be as small as `least`."""
    for output in node.outputs:
        for use in output.uses():
            reader = use.node
            risky = reader.op_type in ("Sqrt", "Log", "Reciprocal", "Pow") or (reader.op_type == "Div" and use.idx == 1)
            if reader in able and risky and least < FP16_MIN_NORMAL:
                yield reader, f"its input may be as small as {least:.2g}, which may become 0 in float16"
                if reader.op_type == "Sqrt":
                    yield from _meeting_zero(reader, least**0.5, able)
                elif reader.op_type in ("Div", "Reciprocal") and 1 / least > FP16_MAX / 4:
                    yield from _meeting_infinity(reader, 1 / least, able)


def _meeting_infinity(node: ir.Node, most: float, able: Mapping[ir.Node, CastableIO]) -> Iterator[tuple[ir.Node, str]]:
    """Yield the roots, logarithms and reciprocals of values that a quotient may make larger than float16's maximum."""
    for output in node.outputs:
        for use in output.uses():
            if use.node in able and use.node.op_type in ("Log", "Sqrt", "Reciprocal"):
                yield use.node, f"its input may reach {most:.2g}, and float16 ends at 65504"


def _long_rows(able: Iterable[ir.Node]) -> Iterator[tuple[ir.Node, str]]:
    for node in able:
        sizes = static_shape(node.inputs[0])
        if node.op_type not in ("Softmax", "LogSoftmax") or not sizes:
            continue
        row = prod(sizes[axis] for axis in normalized_axes(node, len(sizes)))
        if row > _LONG_AXIS:
            yield node, f"sums {row} values: float16 is exact only up to {_LONG_AXIS}"
