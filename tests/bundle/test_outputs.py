"""The shapes of outputs in the manifest, where not every graph has fixed sizes."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pytest

from webbuild.bundle.stage_files import is_golden_readable, public_outputs
from webbuild.manifest.manifest import Graph, Output


def graph(target: Literal["webgpu", "wasm"], *shapes: list[int]) -> Graph:
    outputs = [Output(name=f"y{place}", dtype="float32", shape=shape) for place, shape in enumerate(shapes)]
    return Graph(target=target, file="model/a.onnx", weights=[], nodes=1, outputs=outputs, head_status=None)


def test_a_size_that_one_graph_knows_is_that_of_the_output() -> None:
    graphs = [graph("webgpu", [-1, 1, 64, 64], [2, -1]), graph("wasm", [-1, -1, -1, -1], [2, 3])]
    assert [output.shape for output in public_outputs(graphs, [])] == [[-1, 1, 64, 64], [2, 3]]


def test_no_size_at_all_is_a_rank_that_a_graph_does_not_know() -> None:
    graphs = [graph("webgpu", [-1, 4], []), graph("wasm", [], [])]
    assert [output.shape for output in public_outputs(graphs, [])] == [[-1, 4], []]


@pytest.mark.parametrize(
    ("shape", "readable"), [([2, 3], True), ([-1, 3], True), ([-1, -1], False), ([], False)], ids=str
)
def test_an_answer_is_recorded_if_its_length_gives_its_shape(shape: list[int], *, readable: bool) -> None:
    (output,) = public_outputs([graph("wasm", shape)], [])
    assert is_golden_readable(output, {"y0": np.zeros((2, 3))}) is readable
