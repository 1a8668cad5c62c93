"""What the command reports: findings as data, and the exit code that follows from them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import onnx
from msgspec import Struct

from webbuild.bisect.codes import CODES
from webbuild.bisect.found import Depth, Found, Result
from webbuild.bisect.graph import Graph
from webbuild.errors import CLEAN, FAILED, printable
from webbuild.verify.compare import Comparison


class Value(Struct, frozen=True):
    """A value at a node: `shape` as far as it is known before a run, `constant` where it stands in the file."""

    name: str
    dtype: str
    shape: tuple[int | None, ...] | None
    constant: bool


class Node(Struct, frozen=True):
    """A node of the graph, by its place among those that are no constants."""

    index: int
    label: str
    operator: str
    opset: int
    attributes: dict[str, str]
    inputs: tuple[Value, ...]
    outputs: tuple[Value, ...]


class Finding(Struct, frozen=True):
    """One finding. `behind`: another one lies upstream. `files` are where its smallest cut was written, if it was."""

    code: str
    nodes: tuple[Node, ...]
    place: str
    behind: bool
    alone: bool
    message: str
    comparisons: tuple[Comparison, ...]
    files: tuple[str, ...] = ()


class Report(Struct, frozen=True, kw_only=True, rename="camel"):
    """A search. `engine` and `reference` name what was compared; `nodes` are those that were searched."""

    subject: str
    sha256: str
    engine: str
    reference: str
    options: dict[str, Any]
    tolerance: float
    sample: str
    nodes: int
    sessions: int
    compared: int
    whole: str
    findings: tuple[Finding, ...]
    depths: tuple[Depth, ...] = ()
    untried: int = 0
    unfinished: str = ""
    assumptions: tuple[str, ...] = ()


def exit_code(report: Report) -> int:
    """Return 0 where nothing differs and something was compared, else 1."""
    return CLEAN if report.whole == "agrees" and report.compared else FAILED


def findings(graph: Graph, result: Result) -> tuple[Finding, ...]:
    """Return what was found, in the words of the report."""
    return tuple(_finding(graph, found) for found in result.found)


def describe(graph: Graph, index: int) -> Node:
    """Return a node as people need it to write about it."""
    node = graph.nodes[index]
    opsets = {opset.domain: opset.version for opset in graph.model.opset_import}
    return Node(
        index=index,
        label=graph.label(index),
        operator=node.op_type if node.domain in ("", "ai.onnx") else f"{node.domain}.{node.op_type}",
        opset=opsets.get(node.domain, opsets.get("ai.onnx" if not node.domain else "", 0)),
        attributes={attribute.name: _shown(attribute) for attribute in node.attribute},
        inputs=_values(graph, node.input),
        outputs=_values(graph, node.output),
    )


def _finding(graph: Graph, found: Found) -> Finding:
    return Finding(
        code=CODES[found.kind],
        nodes=tuple(describe(graph, index) for index in found.piece),
        place=found.place,
        behind=found.behind,
        alone=found.alone,
        message=found.tried.message,
        comparisons=found.tried.differing,
    )


def _values(graph: Graph, names: Sequence[str]) -> tuple[Value, ...]:
    return tuple(Value(name, graph.dtype(name), graph.dims(name), graph.is_constant(name)) for name in names if name)


def _shown(attribute: onnx.AttributeProto) -> str:
    if attribute.type in (attribute.GRAPH, attribute.GRAPHS):
        return "a graph"
    if attribute.type in (attribute.TENSOR, attribute.TENSORS, attribute.SPARSE_TENSOR):
        return f"a tensor {list(attribute.t.dims)}"
    value = onnx.helper.get_attribute_value(attribute)
    return printable(value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value), 200)
