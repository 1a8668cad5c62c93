"""Why a node must stay float32, as far as the graph says it without being run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import onnx_ir as ir

from webbuild.inspection.graph import read, subgraphs, walk
from webbuild.inspection.placing import place
from webbuild.passes._graph import dims
from webbuild.passes.force_cpu import cpu_nodes
from webbuild.precision.constants import LARGEST, LEAST, PARAMETER, nearly_one, numbers, overflows, spoilt
from webbuild.precision.masks import LIMITS, limited
from webbuild.precision.positions import positions
from webbuild.precision.slots import Slots, is_float, measures
from webbuild.targets.table import Table

_PASSED_BY = ("Identity", "Dropout")
"""Operators that the engine takes out of a graph: they are of the type of what they read."""
_ADDED = {"Add": (0, 1), "Sub": (0, 1), "Conv": (2,), "ConvTranspose": (2,), "Gemm": (2,)}
"""Inputs that are added to what float16 holds anyway: a bias may vanish beside it. An epsilon is a parameter."""
LONG = 2048
"""Terms up to which float16 counts: 2048 + 1 is 2048."""


def reasons(model: ir.Model, able: Mapping[ir.Node, Slots], table: Table | None) -> dict[str, str]:
    """Return by name why nodes with float32 in them stay so."""
    found: dict[str, str] = {}
    for told in (
        _unable(model.graph, able),
        _elsewhere(model, table),
        positions(model.graph).items(),
        _constants(able),
        _long_rows(able),
    ):
        for node, why in told:
            found.setdefault(node.name or "", why)
    return found


def _unable(graph: ir.Graph, able: Mapping[ir.Node, Slots]) -> Iterator[tuple[ir.Node, str]]:
    for node in graph:
        if any(True for _ in subgraphs(node)):
            yield node, "its inner graphs stay as they are"
            for maker in _given_out(node):
                yield maker, "an inner graph gives it out"
        elif node not in able and node.op_type != "Cast" and not measures(node) and _has_floats(node):
            yield node, "the operator has no form of float16, or its numbers are an argument"


def _given_out(node: ir.Node) -> Iterator[ir.Node]:
    """Yield what makes the values that graphs inside a node give out as they are."""
    for _, graph in subgraphs(node):
        for value in graph.outputs:
            if (maker := value.producer()) is not None and maker.graph is not graph:
                yield maker


def _has_floats(node: ir.Node) -> bool:
    return any(map(is_float, (*node.inputs, *node.outputs)))


def _elsewhere(model: ir.Model, table: Table | None) -> Iterator[tuple[ir.Node, str]]:
    """Yield the nodes that do not run on the GPU, or do not run at all."""
    if table is None:
        return
    copy, nodes = read(model, {})
    named = {node.name: node for node in model.graph}
    where = {"cpu": "runs on the CPU", "folded": "is computed while loading", "none": "has no kernel"}
    placings = place(nodes, table, cpu_nodes(copy))
    for each in walk(copy.graph):
        if each.node.op_type in _PASSED_BY:
            continue
        why = where.get(placings[each.node].place)
        if why and each.parent is None and not measures(each.node) and _has_floats(named[each.node.name]):
            yield named[each.node.name], why


def _constants(able: Mapping[ir.Node, Slots]) -> Iterator[tuple[ir.Node, str]]:
    """Yield the nodes whose constants float16 cannot say, and those right behind that would meet a zero."""
    for node, found in able.items():
        for index in sorted(found.inputs):
            value = node.inputs[index]
            array = None if value is None else numbers(value)
            if array is None:
                continue
            given = limited(array) if node.op_type in LIMITS else array
            if given.size > PARAMETER and index in _ADDED.get(node.op_type, ()) and not overflows(given):
                continue
            if why := spoilt(given):
                yield node, why
                small = abs(given[given != 0])
                if given.size <= PARAMETER and float(small.min()) < LEAST:
                    yield from _meeting_zero(node, float(small.min()), able)
            elif node.op_type in LIMITS and (left := nearly_one(given)):
                yield node, f"its limit of 1 - {left:.2g} becomes 1 in float16"
                for reader in (use.node for output in node.outputs for use in output.uses()):
                    if reader in able and reader.op_type == "Sub":
                        yield reader, f"may give {left:.2g}, which float16 loses beside 1"
                        yield from _meeting_zero(reader, left, able)


def _meeting_zero(node: ir.Node, least: float, able: Mapping[ir.Node, Slots]) -> Iterator[tuple[ir.Node, str]]:
    """Yield the roots, quotients and logarithms of numbers that may be as small as an epsilon."""
    for output in node.outputs:
        for use in output.uses():
            reader = use.node
            risky = reader.op_type in ("Sqrt", "Log", "Reciprocal", "Pow") or (reader.op_type == "Div" and use.idx == 1)
            if reader in able and risky and least < LEAST:
                yield reader, f"may read {least:.2g}, which vanishes in float16"
                if reader.op_type == "Sqrt":
                    yield from _meeting_zero(reader, least**0.5, able)
                elif reader.op_type in ("Div", "Reciprocal") and 1 / least > LARGEST / 4:
                    yield from _meeting_infinity(reader, 1 / least, able)


def _meeting_infinity(node: ir.Node, most: float, able: Mapping[ir.Node, Slots]) -> Iterator[tuple[ir.Node, str]]:
    """Yield what makes numbers small again that a quotient may have made larger than float16 holds."""
    for output in node.outputs:
        for use in output.uses():
            if use.node in able and use.node.op_type in ("Log", "Sqrt", "Reciprocal"):
                yield use.node, f"may read {most:.2g}, which is beyond float16"


def _long_rows(able: Iterable[ir.Node]) -> Iterator[tuple[ir.Node, str]]:
    for node in able:
        sizes = dims(node.inputs[0])
        if node.op_type not in ("Softmax", "LogSoftmax") or not sizes:
            continue
        row = sizes[node.attributes.get_int("axis", -1)]
        if row > LONG:
            yield node, f"sums rows of {row} numbers, and float16 counts to {LONG}"
