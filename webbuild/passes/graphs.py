"""The graphs of a model: the main one, and the bodies of If, Loop and Scan, each as the graph of its own model."""

from __future__ import annotations

from collections.abc import Iterator

import onnx_ir as ir

_SIBLINGS = "webbuild.graphs"
"""Key in `ir.Graph.meta`: all graphs of the model, the main one first. Names are unique among them."""
_NAMES = "webbuild.names"
"""Key in the main graph's `meta`: the names in use, while a pass runs."""
_CHANGES = "webbuild.changes"
"""Key in `ir.Model.meta`: how often the model was changed, by rewrites or by shape inference."""
_PLAIN_AT = "webbuild.plain"
"""Key in `ir.Model.meta`: the change count at which the model was found to have no bodies."""


def count_change(model: ir.Model) -> None:
    """Increase the model's change count, so that every pass runs again."""
    model.meta[_CHANGES] = changes(model) + 1


def changes(model: ir.Model) -> int:
    """Return how often a model was changed."""
    count: int = model.meta.setdefault(_CHANGES, 0)
    return count


def each_graph(model: ir.Model) -> Iterator[ir.Model]:
    """Yield a model, and then each body in it as a model, with the same opsets and metadata.

    Values that a body captures have their producer in another graph; new nodes and constants go into the body. The
    bodies are collected after the caller has processed the main graph. If the model had none before, they are
    yielded in the next round.
    """
    bodies = _link_graphs(model)
    yield model
    for body in _link_graphs(model) if bodies else ():
        yield ir.Model(
            body,
            ir_version=model.ir_version,
            functions=list(model.functions.values()),
            metadata_props=model.metadata_props,
        )


def trial_copy(model: ir.Model) -> ir.Model:
    """Return a copy of a model, its graphs linked to each other and not to the original's graphs."""
    copy = model.clone()
    _link_graphs(copy)
    return copy


def graphs_of(model: ir.Model) -> tuple[ir.Graph, ...]:
    """Return the main graph and all bodies in it. The nodes are not searched if the model is known to have none."""
    return (model.graph,) if model.meta.get(_PLAIN_AT) == changes(model) else tuple(model.graphs())


def all_graphs(graph: ir.Graph) -> tuple[ir.Graph, ...]:
    """Return all graphs of a graph's model, the main one first; outside a pass only the graph itself."""
    return graph.meta.get(_SIBLINGS, (graph,))  # type: ignore[no-any-return]


def _link_graphs(model: ir.Model) -> list[ir.Graph]:
    """Store the list of all graphs in each graph's metadata, and the main graph's opsets in the bodies."""
    model.graph.meta.pop(_NAMES, None)
    known = model.meta.get(_PLAIN_AT) == changes(model)  # every pass calls this, and most models have no body
    bodies = [] if known else list(_bodies(model.graph))
    if not bodies:
        model.meta[_PLAIN_AT] = changes(model)
    for graph in (model.graph, *bodies):
        graph.meta[_SIBLINGS] = (model.graph, *bodies)
    for body in bodies:
        body.opset_imports.clear()
        body.opset_imports.update(model.opset_imports)
    return bodies


def _bodies(graph: ir.Graph) -> Iterator[ir.Graph]:
    """Yield the graphs inside a graph, outer ones first; every pass calls this, so it must be fast."""
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


def taken_names(graph: ir.Graph) -> set[str | None]:
    """Return the names of all nodes and values of a graph's model, as one shared set; add each new name to it.

    The set is computed once per pass, as a pass may add thousands of nodes.
    """
    main = all_graphs(graph)[0]
    known_names = main.meta.get(_NAMES)
    if known_names is None or known_names[0] is not main:  # clone() copies the metadata of the original
        known_names = main.meta[_NAMES] = (main, graph_names(graph))
    names: set[str | None] = known_names[1]
    return names


def graph_names(graph: ir.Graph) -> set[str | None]:
    """Return the names of all nodes and values of a graph, and of the other graphs of its model."""
    taken: set[str | None] = set()
    for each in all_graphs(graph):
        taken |= {value.name for node in each for value in node.outputs} | {node.name for node in each}
        taken |= {value.name for value in each.inputs} | set(each.initializers)
    return taken
