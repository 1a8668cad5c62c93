"""Size vectors are the same with fewer nodes."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import onnx_ir as ir
from hypothesis import given
from hypothesis import strategies as st
from onnx import helper

from tests.native import Session
from tests.passes.fuzz.model import model_of
from webbuild.passes.analysis.shape_inference import infer_shapes
from webbuild.passes.base import PassOptions
from webbuild.passes.simplify.shorten_size_vectors import ShortenSizeVectors


@given(
    pieces=st.lists(
        st.one_of(st.tuples(st.sampled_from(("a", "b")), st.integers(-3, 2)), st.integers(0, 9)), min_size=1, max_size=6
    ),
    turn=st.sampled_from(("", "reverse", "square", "longer")),
    opset=st.sampled_from((12, 13, 17, 18)),
)
def test_numbers_of_two_vectors(pieces: list[tuple[str, int] | int], turn: str, opset: int) -> None:
    feeds = {"a": np.array([3, 5, 7]), "b": np.array([11, 13, 17])}
    held: dict[str, np.ndarray[Any, Any]] = {"zero": np.array([0]), "last": np.array([-1]), "far": np.array([-(2**62)])}
    nodes = []

    def add(op: str, inputs: str, output: str, **attributes: Any) -> str:
        nodes.append(helper.make_node(op, inputs.split(), output.split(), **attributes))
        return output.split()[0]

    def line(value: str, name: str) -> str:
        if opset < 13:
            return add("Unsqueeze", value, name, axes=[0])
        return add("Unsqueeze", f"{value} zero", name)

    names = []
    for number, piece in enumerate(pieces):
        if isinstance(piece, int):
            held[f"p{number}"] = np.array([piece])
        else:
            held[f"i{number}"] = np.array(piece[1])
            line(add("Gather", f"{piece[0]} i{number}", f"g{number}"), f"p{number}")
        names.append(f"p{number}")
    whole = add("Concat", " ".join(names), "whole", axis=0)
    if turn == "reverse":
        whole = add("Slice", f"{whole} last far zero last", "turned")
    elif turn == "square":
        held["column"], held["flat"] = np.array([-1, 1]), np.array([-1])
        column = add("Transpose", add("Reshape", f"{whole} column", "column_of"), "row_of", perm=[1, 0])
        whole = add("Reshape", f"{column} flat", "again")
    elif turn == "longer":
        whole = add("Concat", f"{whole} b", "longer", axis=0)
    add("Mul", f"{whole} {whole}", "y")
    model = model_of(nodes, feeds, opset, held)
    patched = ir.from_proto(model)
    infer_shapes(patched)
    ShortenSizeVectors(PassOptions()).apply(patched, PassOptions())
    result = ir.to_proto(patched)
    onnx.checker.check_model(result, full_check=True)
    np.testing.assert_array_equal(Session(result).run(feeds)["y"], Session(model).run(feeds)["y"])
    assert len(result.graph.node) <= len(model.graph.node)
    assert ShortenSizeVectors(PassOptions()).apply(patched, PassOptions()) == []
