"""Subgraph extraction: an extracted part computes what it does in the whole, whatever nodes it has."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from numpy.typing import NDArray

from tests.bisect.generated import branches, graph
from tests.bisect.planted import Fault, constant, trying_with
from tests.models import HEADER, parsed
from webbuild.bisect.partition_points import PartitionPoints
from webbuild.bisect.search import search_culprits
from webbuild.errors import WebbuildError
from webbuild.runners.native_unoptimized import UnoptimizedNativeRunner
from webbuild.subgraph.activations import ReferenceActivations
from webbuild.subgraph.extract import extract_subgraphs, subgraph_inputs, subgraph_outputs
from webbuild.subgraph.graph import ModelGraph

BRANCHING = f"""{HEADER} g (float[6,6] x) => (float[6,6] y)
<float zero = {{0}}, float half = {{0.5}}>
{{
  a = Sin (x)
  s = ReduceMax <keepdims = 0> (a)
  c = Greater (s, zero)
  b = If (c) <
    then_branch = yes () => (float[6,6] t) {{ q = Mul (a, half)  t = Cos (q) }},
    else_branch = no () => (float[6,6] e) {{ e = Identity (a) }}
  >
  y = Add (b, a)
}}"""
SEQUENCE = f"""{HEADER} g (float[6,6] x) => (float[6,6] y)
<int64 axis = {{1}}>
{{
  a = Sin (x)
  b = Cos (a)
  s = SequenceConstruct (a, b)
  c = Neg (a)
  d = ConcatFromSequence <axis = 0> (s)
  e, f = Split <axis = 0, num_outputs = 2> (d)
  y = Add (e, c)
}}"""
SHAPES = f"""{HEADER} g (float[6,6] x) => (float[36] y)
<int64[1] one = {{1}}>
{{
  a = Sin (x)
  s = Shape (a)
  p = ReduceProd <keepdims = 1> (s)
  n = Mul (p, one)
  b = Reshape (a, n)
  k = Constant <value = float {{2}}> ()
  y = Mul (b, k)
}}"""


def values(made: ModelGraph, folder: Path) -> ReferenceActivations:
    x = np.random.default_rng(0).standard_normal((6, 6)).astype(np.float32)
    return ReferenceActivations(made, {"x": x}, UnoptimizedNativeRunner(), folder, batch=200)


@pytest.mark.parametrize("text", [BRANCHING, SEQUENCE, SHAPES], ids=["If", "sequence", "shapes"])
@pytest.mark.parametrize("parts", [2, 3, 100])
def test_pieces_compute_what_the_whole_does(text: str, parts: int, tmp_path: Path) -> None:
    made = graph(parsed(text))
    reference = values(made, tmp_path)
    pieces = PartitionPoints(made).split(tuple(range(len(made.nodes))), parts)
    assert [node for piece in pieces for node in piece] == list(range(len(made.nodes)))
    both = [*pieces, *pieces]  # they may overlap
    reference.compute(
        name for piece in both for name in (*subgraph_inputs(made, piece), *subgraph_outputs(made, piece))
    )
    one = extract_subgraphs(made, both, reference)
    got: dict[str, NDArray[Any]] = {}
    feeds = {name: reference[value] for name, value in one.feeds.items()}
    ended = UnoptimizedNativeRunner().run_model(one.model.SerializeToString(), feeds, got.__setitem__)
    assert ended.status == "ran", ended.message
    assert got.keys() == {name for read in one.outputs for name in read}
    for read in one.outputs:
        for name, value in read.items():
            np.testing.assert_array_equal(got[name], reference[value])


def test_no_piece_ends_inside_a_sequence() -> None:
    made = graph(parsed(SEQUENCE))
    assert PartitionPoints(made).split(tuple(range(7)), 100) == [(0,), (1,), (2, 3, 4), (5,), (6,)]


def test_a_fault_beside_a_sequence_is_blamed_on_what_cannot_be_divided(tmp_path: Path) -> None:
    x = np.random.default_rng(0).standard_normal((6, 6)).astype(np.float32)
    trying, _ = trying_with(graph(parsed(SEQUENCE)), {"x": x}, tmp_path, [Fault(3, constant(2))])
    assert [(each.code, each.subgraph, each.node) for each in search_culprits(trying).culprits] == [
        ("node-mismatch", (2, 3, 4), None)
    ]


def test_what_depends_on_no_input_is_a_constant_of_the_cut(tmp_path: Path) -> None:
    made = graph(parsed(SHAPES))
    assert made.static_values == {"s", "p", "n"}
    reshape = next(index for index, node in enumerate(made.nodes) if node.op_type == "Reshape")
    one = extract_subgraphs(made, [(reshape,)], values(made, tmp_path))
    assert list(one.feeds.values()) == ["a"]
    assert [tensor.name for tensor in one.model.graph.initializer] == ["p0/n"]


def test_a_free_size_stays_free(tmp_path: Path) -> None:
    model = parsed(f'{HEADER} g (float["n",6] x) => (float["n",6] y) {{ a = Sin (x) y = Cos (a) }}')
    made = graph(model)
    one = extract_subgraphs(made, [(1,)], values(made, tmp_path))
    dims = one.model.graph.input[0].type.tensor_type.shape.dim
    assert [dim.HasField("dim_value") for dim in dims] == [False, True]


def test_one_output_needs_a_part_of_the_graph() -> None:
    model = branches((5, 7), joined=False)
    assert (len(graph(model).nodes), len(graph(model, "b0_4").nodes)) == (12, 5)
    with pytest.raises(WebbuildError, match="no output 'z'"):
        graph(model, "z")


def test_the_references_values_come_in_batches(tmp_path: Path) -> None:
    made = graph(branches((12,)))
    reference = values(made, tmp_path)
    reference.compute([f"b0_{step}" for step in range(12)])
    assert reference.runs == 12  # 144 bytes each; a run has room for 200
    assert len(list(tmp_path.glob("*.npy"))) == 12


def test_a_model_that_the_reference_refuses(tmp_path: Path) -> None:
    made = graph(parsed(f"{HEADER} g (float[6,6] x) => (float[6,6] y) {{ y = Upsample (x, x) }}"))
    with pytest.raises(WebbuildError, match="does not compute the model") as error:
        values(made, tmp_path)["y"]
    assert error.value.code == "no-reference"


def test_functions_of_the_model_go_with_it(tmp_path: Path) -> None:
    twice = onnx.helper.make_function(
        "own",
        "Twice",
        ["a"],
        ["b"],
        [onnx.helper.make_node("Add", ["a", "a"], ["b"])],
        [onnx.helper.make_opsetid("", 18)],
    )
    model = parsed(
        '<ir_version: 8, opset_import: ["" : 18, "own" : 1]> g (float[6,6] x) => (float[6,6] y) '
        "{ a = own.Twice (x) y = Sin (a) }"
    )
    model.functions.append(twice)
    made = ModelGraph(model)
    assert made.label(0) == "own:Twice 'a'"
    one = extract_subgraphs(made, [(0,)], values(made, tmp_path))
    got: dict[str, NDArray[Any]] = {}
    reference = values(made, tmp_path)
    UnoptimizedNativeRunner().run_model(one.model.SerializeToString(), {"p0/x": reference["x"]}, got.__setitem__)
    np.testing.assert_array_equal(got["p0/a"], 2 * reference["x"])
