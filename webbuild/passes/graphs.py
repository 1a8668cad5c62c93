"""The graphs of a model: the main one, and the bodies of If, Loop and Scan, each as the graph of a model of its own."""

from __future__ import annotations

from collections.abc import Iterator

import onnx_ir as ir

_SIBLINGS = "webbuild.graphs"
"""Where `ir.Graph.meta` keeps all graphs of the model, the main one first: names are unique among them."""


def each_graph(model: ir.Model) -> Iterator[ir.Model]:
    """Yield a model, and then each body in it as a model, with the same opsets and metadata.

    What a body captures has its producer in another graph; new nodes and constants go into the body. The bodies are
    those that are there after the main graph is done with.
    """
    _introduce(model)
    yield model
    for body in _introduce(model):
        yield ir.Model(
            body,
            ir_version=model.ir_version,
            functions=list(model.functions.values()),
            metadata_props=model.metadata_props,
        )


def trial_copy(model: ir.Model) -> ir.Model:
    """Return a copy of a model, whose graphs know each other and not those that they are copies of."""
    copy = model.clone()
    _introduce(copy)
    return copy


def all_graphs(graph: ir.Graph) -> tuple[ir.Graph, ...]:
    """Return the graphs of the model that a graph is of, the main one first; only itself where no pass is at work."""
    return graph.meta.get(_SIBLINGS, (graph,))  # type: ignore[no-any-return]


def _introduce(model: ir.Model) -> list[ir.Graph]:
    """Let the graphs of a model know each other, and the bodies the opsets, which only the main graph says."""
    bodies = list(_bodies(model.graph))
    for graph in (model.graph, *bodies):
        graph.meta[_SIBLINGS] = (model.graph, *bodies)
    for body in bodies:
        body.opset_imports.clear()
        body.opset_imports.update(model.opset_imports)
    return bodies


def _bodies(graph: ir.Graph) -> Iterator[ir.Graph]:
    """Yield the graphs inside a graph, outer ones first; every pass asks for them."""
    for node in graph:
        for attribute in node.attributes.values():
            if attribute.type == ir.AttributeType.GRAPHS:
                inner = list(attribute.as_graphs())
            elif attribute.type == ir.AttributeType.GRAPH:
                inner = [attribute.as_graph()]
            else:
                continue
            for body in inner:
                yield body
                yield from _bodies(body)
