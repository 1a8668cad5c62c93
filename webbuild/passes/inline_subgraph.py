"""Inlining: a copy of a subgraph's nodes in the graph around it."""

from __future__ import annotations

from collections.abc import Sequence

import onnx_ir as ir

from webbuild.model.unused_name import unused_name
from webbuild.passes.graphs import graph_names
from webbuild.passes.rewrite import redirect_consumers


class Inliner:
    """Inserts copies of bodies before nodes, with names that are unique in the model."""

    def __init__(self, model: ir.Model) -> None:
        self._taken: set[str | None] = set()
        self._moved: dict[ir.Value, ir.Value] = {}
        for graph in model.graphs():
            self._taken |= graph_names(graph)

    def inline(self, body: ir.Graph, arguments: Sequence[ir.Value], before: ir.Node, prefix: str) -> list[ir.Value]:
        """Add a copy of `body` that reads `arguments` instead of its inputs, and return its outputs.

            Loop<body = { y = f(x, w) }>(a)  ->  y_1 = f(a, w)         w: an outer value or a weight of the body

        The body's weights move to the outer graph and are shared by all copies. A copy has no shapes, as they may
        differ from iteration to iteration.
        """
        graph = before.graph
        assert graph is not None
        for value in body.initializers.values():
            if value not in self._moved:
                self._move(graph, value, f"{prefix}/{value.name}")
        copy = body.clone(allow_outer_scope_values=True)
        outputs = [self._moved.get(output, value) for output, value in zip(body.outputs, copy.outputs, strict=True)]
        copy.outputs.clear()
        # body(formal) -> body(actual); a body may return an input as it is
        for formal, actual in zip(copy.inputs, arguments, strict=True):
            formal.replace_all_uses_with(actual)
            outputs = [actual if output is formal else output for output in outputs]
        nodes = list(copy)
        copy.remove(nodes)
        for node in nodes:
            node.name = self._unique_name(f"{prefix}/{node.name or node.op_type}")
            for value in node.outputs:
                value.name, value.shape = self._unique_name(f"{prefix}/{value.name}"), None
        graph.insert_before(before, nodes)
        return outputs

    def _move(self, graph: ir.Graph, value: ir.Value, name: str) -> None:
        """Copy a weight of a body to the graph around it, and let its readers read the copy."""
        moved = ir.Value(
            name=self._unique_name(name), const_value=value.const_value, type=value.type, shape=value.shape
        )
        graph.register_initializer(moved)
        redirect_consumers(value, moved)
        self._moved[value] = moved

    def _unique_name(self, wanted: str) -> str:
        name = unused_name(self._taken, wanted)
        self._taken.add(name)
        return name
