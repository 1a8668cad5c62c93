"""A model prepared for inspection: every node, including nested graphs, with opsets, types and shapes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import onnx_ir as ir
from msgspec import Struct

from webbuild.inspection.kernels import STANDARD_DOMAINS
from webbuild.inspection.type_inference import complete_types
from webbuild.passes.analysis.shape_inference import infer_shapes
from webbuild.passes.base import PassOptions
from webbuild.passes.static_shapes.fix_dynamic_dims import FixDynamicDims


class ScopedNode(Struct, frozen=True, eq=False):
    """A node with its opset and the graphs around it, the outermost first, as `If 'name' then_branch`."""

    node: ir.Node
    opset: int
    scopes: tuple[str, ...]
    parent: ir.Node | None


def prepare_graph(model: ir.Model, dims: Mapping[str, int]) -> tuple[ir.Model, list[ScopedNode]]:
    """Return a copy of a model with fixed sizes and inferred shapes and types, and its nodes in order."""
    copy = model.clone()
    if not FixDynamicDims().apply(copy, PassOptions(dims=dims)):  # infers the shapes itself if it sets a size
        infer_shapes(copy)
    nodes = list(walk_nodes(copy.graph))
    complete_types([(each.node, each.opset) for each in nodes])
    return copy, nodes


def with_fixed_sizes(model: ir.Model, dims: Mapping[str, int]) -> ir.Model:
    """Return a copy of a model with these sizes for its free dimensions."""
    copy = model.clone()
    FixDynamicDims().apply(copy, PassOptions(dims=dims))
    return copy


def walk_nodes(graph: ir.Graph) -> Iterator[ScopedNode]:
    """Yield the nodes of a graph in order; nodes of a nested graph follow the node that contains it."""
    return _walk(graph, graph.opset_imports, (), None)


def _walk(
    graph: ir.Graph, opsets: Mapping[str, int], around: tuple[str, ...], parent: ir.Node | None
) -> Iterator[ScopedNode]:
    for node in graph:
        domain = "" if node.domain in STANDARD_DOMAINS else node.domain
        yield ScopedNode(node, opsets.get(domain, opsets.get("ai.onnx", 1) if not domain else 1), around, parent)
        for name, inner in subgraphs(node):
            yield from _walk(inner, opsets, (*around, f"{node_label(node)} {name}"), node)


def subgraphs(node: ir.Node) -> Iterator[tuple[str, ir.Graph]]:
    """Yield the graphs inside a node with the names of their attributes."""
    for attribute in node.attributes.values():
        if isinstance(attribute, ir.Attr) and attribute.type == ir.AttributeType.GRAPH:
            yield attribute.name, attribute.as_graph()
        elif isinstance(attribute, ir.Attr) and attribute.type == ir.AttributeType.GRAPHS:
            yield from ((attribute.name, graph) for graph in attribute.as_graphs())


def node_label(node: ir.Node) -> str:
    """Return a label for a node: its operator and its name, or else the name of its first output."""
    domain = "" if node.domain in STANDARD_DOMAINS else f"{node.domain}:"
    return f"{domain}{node.op_type} '{node.name or next((value.name for value in node.outputs if value.name), '')}'"


def captured_values(node: ir.Node) -> Iterator[ir.Value]:
    """Yield the values of outer graphs that a node's inner graphs read."""
    for _, graph in subgraphs(node):
        inner_values = {*graph.inputs, *graph.initializers.values(), *(out for each in graph for out in each.outputs)}
        for inner in graph:
            yield from (v for v in (*inner.inputs, *captured_values(inner)) if v is not None and v not in inner_values)
        yield from (value for value in graph.outputs if value not in inner_values)
