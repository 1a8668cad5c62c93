"""A builder reads a graph's names only when it needs one, since a pass creates a builder for every node."""

from __future__ import annotations

import onnx_ir as ir
import pytest

from tests.models import as_ir
from webbuild.passes import graphs
from webbuild.passes.builder import Builder


def test_names_are_read_once_and_only_if_one_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = as_ir('<ir_version: 8, opset_import: ["" : 17]> g (float[4] x) => (float[4] y) { y = Neg (x) }').graph
    read: list[ir.Graph] = []
    names = graphs.graph_names

    def seen(given: ir.Graph) -> set[str | None]:
        read.append(given)
        return names(given)

    monkeypatch.setattr(graphs, "graph_names", seen)
    add = Builder(graph, None, "made")
    assert read == []
    add.op("Exp", add.op("Exp", graph.inputs[0]))
    assert read == [graph]


def test_a_name_that_is_taken_is_not_given_again() -> None:
    text = (
        '<ir_version: 8, opset_import: ["" : 17]> g (float[4] x) => (float[4] "made/Exp_1") { "made/Exp_1" = Neg (x) }'
    )
    graph = as_ir(text).graph
    assert Builder(graph, None, "made").op("Exp", graph.inputs[0]).name == "made/Exp_2"
