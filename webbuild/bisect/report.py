"""The bisect report: findings as data, and the exit code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import onnx
from msgspec import Struct

from webbuild.bisect.culprit import BisectResult, Culprit, DepthError
from webbuild.compare.comparison import Comparison
from webbuild.errors import CLEAN, FAILED, printable
from webbuild.subgraph.graph import ModelGraph


class ValueDescription(Struct, frozen=True):
    """A value at a node: `shape` as far as known before a run, `constant` if it is stored in the file."""

    name: str
    dtype: str
    shape: tuple[int | None, ...] | None
    constant: bool


class NodeDescription(Struct, frozen=True):
    """A node of the graph, by its index among nodes other than Constant."""

    index: int
    label: str
    operator: str
    opset: int
    attributes: dict[str, str]
    inputs: tuple[ValueDescription, ...]
    outputs: tuple[ValueDescription, ...]


class BisectFinding(Struct, frozen=True):
    """One finding. `downstream`: another finding is upstream. `shader` is the source of a shader that did not compile.

    `files` are the files of its reproduction, if written.
    """

    code: str
    nodes: tuple[NodeDescription, ...]
    placement: str
    downstream: bool
    reproduced: bool
    message: str
    comparisons: tuple[Comparison, ...]
    shader: str = ""
    files: tuple[str, ...] = ()


class BisectReport(Struct, frozen=True, kw_only=True, rename="camel"):
    """The report of a search. `engine` was compared with `reference`; `nodes` is the number of searched nodes.

    `sample` is the input on which they differ, else all inputs.
    """

    subject: str
    sha256: str
    engine: str
    reference: str
    options: dict[str, Any]
    tolerance: float
    sample: str
    nodes: int
    sessions: int
    compared_values: int
    whole_graph_verdict: str
    findings: tuple[BisectFinding, ...]
    depth_errors: tuple[DepthError, ...] = ()
    unresolved: int = 0
    unfinished: str = ""
    assumptions: tuple[str, ...] = ()


def exit_code(report: BisectReport) -> int:
    """Return 0 if something was compared and nothing differs, else 1."""
    return CLEAN if report.whole_graph_verdict == "agrees" and report.compared_values else FAILED


def build_findings(graph: ModelGraph, result: BisectResult) -> tuple[BisectFinding, ...]:
    """Return the culprits as findings of the report."""
    return tuple(_finding(graph, culprit) for culprit in result.culprits)


def _describe_node(graph: ModelGraph, index: int) -> NodeDescription:
    """Return a node with its operator, name, attributes, inputs and outputs, for an issue."""
    node = graph.nodes[index]
    opsets = {opset.domain: opset.version for opset in graph.model.opset_import}
    return NodeDescription(
        index=index,
        label=graph.label(index),
        operator=node.op_type if node.domain in ("", "ai.onnx") else f"{node.domain}.{node.op_type}",
        opset=opsets.get(node.domain, opsets.get("ai.onnx" if not node.domain else "", 0)),
        attributes={attribute.name: _attribute_text(attribute) for attribute in node.attribute},
        inputs=_values(graph, node.input),
        outputs=_values(graph, node.output),
    )


def _finding(graph: ModelGraph, culprit: Culprit) -> BisectFinding:
    return BisectFinding(
        code=culprit.code,
        nodes=tuple(_describe_node(graph, index) for index in culprit.subgraph),
        placement=culprit.placement,
        downstream=culprit.downstream,
        reproduced=culprit.reproduced,
        message=culprit.result.message,
        comparisons=culprit.result.differing,
        shader=culprit.result.shader,
    )


def _values(graph: ModelGraph, names: Sequence[str]) -> tuple[ValueDescription, ...]:
    return tuple(
        ValueDescription(name, graph.dtype(name), graph.dims(name), graph.is_constant(name)) for name in names if name
    )


def _attribute_text(attribute: onnx.AttributeProto) -> str:
    if attribute.type in (attribute.GRAPH, attribute.GRAPHS):
        return "a graph"
    if attribute.type in (attribute.TENSOR, attribute.TENSORS, attribute.SPARSE_TENSOR):
        return f"a tensor {list(attribute.t.dims)}"
    value = onnx.helper.get_attribute_value(attribute)
    return printable(value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value), 200)
