"""Nodes that come before their inputs are sorted, as ONNX Runtime does when it loads a model."""

from __future__ import annotations

from pathlib import Path

import onnx
import pytest

from tests.commands.program import webbuild
from tests.models import HEADER, convolution, parsed, save
from webbuild.errors import WebbuildError
from webbuild.model.load import load_onnx
from webbuild.model.node_order import sort_nodes

BRANCHES = f"""{HEADER}
branches (float[2] x, bool c) => (float[2] y) {{
  y = If (c) <
    then_branch = then () => (float[2] t) {{ t = Neg (u)  u = Abs (a) }},
    else_branch = other () => (float[2] e) {{ e = Identity (b) }}
  >
  a = Relu (x)
  b = Exp (a)
}}
"""


def operators(graph: onnx.GraphProto) -> list[str]:
    return [node.op_type for node in graph.node]


def test_it_loads_sorted_and_says_so(tmp_path: Path) -> None:
    model = convolution()
    model.graph.node.reverse()
    source = load_onnx(save(model, tmp_path / "m.onnx"))
    assert [node.op_type for node in source.model.graph] == ["Conv", "Relu"]
    assert source.repairs == ("the nodes were sorted: 2 of them moved",)


def test_a_sorted_model_stays_as_it_is() -> None:
    model = convolution()
    assert sort_nodes(model) == 0
    assert model == convolution()


def test_a_node_with_subgraphs_stands_after_what_these_read() -> None:
    model = parsed(BRANCHES)
    assert sort_nodes(model) > 0
    assert operators(model.graph) == ["Relu", "Exp", "If"]
    assert operators(model.graph.node[2].attribute[0].g) == ["Abs", "Neg"]
    onnx.checker.check_model(model)


def test_a_cycle_is_refused(tmp_path: Path) -> None:
    model = convolution()
    model.graph.node[0].input[0] = "y"
    with pytest.raises(WebbuildError) as caught:
        load_onnx(save(model, tmp_path / "m.onnx"))
    assert caught.value.code == "invalid-model"


def test_it_packs_and_the_output_says_what_was_done(tmp_path: Path) -> None:
    path = save(parsed(BRANCHES), tmp_path / "m.onnx")
    done = webbuild("pack", path, "-o", tmp_path / "out", "--no-verify")
    assert done.code == 0, done.stderr
    assert "note: the nodes were sorted" in done.stderr + done.stdout
