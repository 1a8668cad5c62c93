"""Which sample the self-test runs: the one with most objects; in half precision, the one nearest to its tolerance."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.manifests import image_input
from tests.models import convolution, save
from webbuild.bundle.golden import GoldenRun, choose_golden_run, with_uint8_images
from webbuild.compare.comparison import ComparedOutput, Comparison
from webbuild.manifest.manifest import Graph
from webbuild.passes.lower import TARGETS
from webbuild.runners.native import NativeRunner
from webbuild.runners.tensors import Tensors
from webbuild.samples.sample import Sample

SAMPLES = [Sample(name, {"x": np.ones(2, np.float32)}) for name in ("crowd", "one", "empty")]
ANSWERS = {each.name: {"y": np.ones(2, np.float32)} for each in SAMPLES}


def scores(runner: str, sample: str, objects: int, off: float) -> list[Comparison]:
    """Return a comparison of the scores of a sample's objects, with a tolerance of 1."""
    counted = ComparedOutput(runner, sample, "raw", "y", quantity="detections")
    score = ComparedOutput(runner, sample, "raw", "y", quantity="score")
    return [
        Comparison(subject=counted, verdict="OK", tolerance=0, max_abs=0, signal=objects),
        Comparison(subject=score, verdict="OK", tolerance=1, max_abs=off, signal=objects),
    ]


FLOAT32 = [*scores("webgpu", "crowd", 9, 0.8), *scores("webgpu", "one", 1, 0.9), *scores("webgpu", "empty", 0, 0)]


def chosen(comparisons: list[Comparison]) -> str:
    golden = choose_golden_run(SAMPLES, comparisons, ANSWERS, {})
    assert golden is not None
    return golden.sample.name


def test_without_a_graph_in_half_precision_the_most_objects_are_chosen() -> None:
    assert chosen(FLOAT32) == "crowd"


@pytest.mark.parametrize("runner", ["webgpu fp16", "webgpu mixed"])
def test_in_half_precision_the_sample_nearest_to_its_tolerance_is_chosen(runner: str) -> None:
    nearest = [*scores(runner, "crowd", 9, 0.2), *scores(runner, "one", 1, 0.7), *scores(runner, "empty", 0, 0.9)]
    assert chosen([*FLOAT32, *nearest]) == "one", "a sample in which nothing is found tells nothing"


def test_the_rounded_picture_is_run_where_its_answer_is_wanted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []
    run = NativeRunner.run

    def noting(self: NativeRunner, feeds: Tensors) -> dict[str, NDArray[Any]]:
        seen.append(self.path.name)
        return run(self, feeds)

    monkeypatch.setattr(NativeRunner, "run", noting)
    model = convolution()
    for name in ("webgpu.onnx", "wasm.onnx"):
        save(model, tmp_path / name)
    graphs = [
        Graph(target=target, file=f"{target}.onnx", weights=[], nodes=1, outputs=[], head_status=None)
        for target in TARGETS
    ]
    picture = np.random.default_rng(1).random((1, 3, 8, 8), np.float32)
    name, result = model.graph.input[0].name, model.graph.output[0].name
    recorded = GoldenRun(Sample("one", {name: picture}), run(NativeRunner(tmp_path / "wasm.onnx"), {name: picture}))
    rounded = with_uint8_images(recorded, [image_input(name=name)], graphs, tmp_path)
    assert list(rounded.uint8_inputs) == [name]
    np.testing.assert_array_equal(
        rounded.outputs[result], run(NativeRunner(tmp_path / "wasm.onnx"), rounded.sample.feeds)[result]
    )
    assert seen == ["wasm.onnx"], "the graph for WebGPU has no fallback that it could ask for"
