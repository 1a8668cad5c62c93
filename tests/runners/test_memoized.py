"""Memoized outputs: which are reused, which are not, and which changes of a model invalidate them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest

import webbuild
from webbuild.runners import content_hash, memoized
from webbuild.runners.content_cache import ContentCache
from webbuild.runners.memoized import MemoizedRunner
from webbuild.runners.native import NativeRunner
from webbuild.runners.tensors import Tensors

FEEDS = {"x": np.array([1, 2], np.float32)}
TEXT = """
<ir_version: 8, opset_import: ["" : 17]>
graph (float[2] x) => (float[2] y, bool[2] large)
<float[2] w = {3.5, 4.25}, float limit = {5}>
{
    y = Mul (x, w)
    large = Greater (y, limit)
}
"""


class Counting(NativeRunner):
    """Counts its runs."""

    count = 0

    def run(self, feeds: Tensors) -> dict[str, np.ndarray]:
        self.count += 1
        return super().run(feeds)


@pytest.fixture
def model(tmp_path: Path) -> Path:
    file = tmp_path / "model.onnx"
    model = onnx.parser.parse_model(TEXT)
    for weight in model.graph.initializer:  # only raw bytes are stored externally
        weight.CopyFrom(onnx.numpy_helper.from_array(onnx.numpy_helper.to_array(weight), weight.name))
    onnx.save(model, file, save_as_external_data=True, location="model.data", size_threshold=0)
    return file


@pytest.fixture
def cache(tmp_path: Path) -> ContentCache:
    return ContentCache(tmp_path / "cache")


def runs(runner: Counting, cache: ContentCache | None, feeds: Tensors = FEEDS) -> int:
    """Return how often a runner computes for two equal calls; assert that the outputs are right."""
    remembering = MemoizedRunner(runner, cache)
    for _ in range(2):
        answer = remembering.run(feeds)
        assert list(answer) == list(runner.output_shapes)
        want = NativeRunner.run(runner, feeds)
        assert all(np.array_equal(answer[name], want[name]) and answer[name].dtype == want[name].dtype for name in want)
    return runner.count


def test_an_answer_is_computed_once(model: Path, cache: ContentCache) -> None:
    assert runs(Counting(model), None) == 1
    assert runs(Counting(model), cache) == 1


def test_a_later_pack_computes_nothing(model: Path, cache: ContentCache) -> None:
    assert runs(Counting(model), cache) == 1
    assert runs(Counting(model), cache) == 0
    assert runs(Counting(model), cache, {"x": np.array([1, 3], np.float32)}) == 1, "another sample"


def test_a_changed_weight_is_another_model(model: Path, cache: ContentCache) -> None:
    runs(Counting(model), cache)
    weights = bytearray((model.parent / "model.data").read_bytes())
    weights[0:4] = np.float32(7).tobytes()
    (model.parent / "model.data").write_bytes(weights)
    assert runs(Counting(model), cache) == 1


def test_a_changed_graph_is_another_model(model: Path, cache: ContentCache) -> None:
    runs(Counting(model), cache)
    changed = onnx.load(model, load_external_data=False)
    changed.graph.node[0].op_type = "Div"
    assert runs(Counting(model, changed.SerializeToString()), cache) == 1


@pytest.mark.parametrize("change", ["values", "outputs"])
def test_other_values_or_outputs_are_another_model(model: Path, cache: ContentCache, change: str) -> None:
    runs(Counting(model), cache)
    runner = Counting(model)
    other = runner.with_defaults({"x": np.zeros(2, np.float32)}) if change == "values" else runner.with_outputs(["y"])
    assert isinstance(other, Counting)
    assert runs(other, cache) == 1


def test_what_other_code_or_another_engine_answered_is_not_taken(
    model: Path, cache: ContentCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs(Counting(model), cache)
    monkeypatch.setattr(memoized, "hash_environment", lambda: "other")
    assert runs(Counting(model), cache) == 1


@pytest.mark.parametrize("what", ["code", "webbuild", "onnxruntime", "processor"])
def test_code_versions_and_processor_are_in_the_hash(
    what: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(webbuild, "__file__", str(tmp_path / "__init__.py"))
    (tmp_path / "pass.py").write_text("a = 1")
    before = content_hash.hash_environment.__wrapped__()
    assert content_hash.hash_environment.__wrapped__() == before
    match what:
        case "code":
            (tmp_path / "pass.py").write_text("a = 2")
        case "webbuild":
            monkeypatch.setattr(webbuild, "__version__", "99")
        case "onnxruntime":
            monkeypatch.setattr("onnxruntime.__version__", "99")
        case "processor":
            monkeypatch.setattr("platform.machine", lambda: "other")
    assert content_hash.hash_environment.__wrapped__() != before


def test_weights_of_inner_graphs_count(tmp_path: Path) -> None:
    text = """
<ir_version: 8, opset_import: ["" : 17]>
graph (bool c) => (float[1] y) {
    y = If (c) <then_branch = then () => (float[1] a) <float[1] w = {1}> { a = Identity (w) },
                else_branch = other () => (float[1] b) { b = Constant <value = float[1] {2}> () }>
}
"""
    model = onnx.parser.parse_model(text)
    branch = next(each.g for each in model.graph.node[0].attribute if each.name == "then_branch")
    tensor = branch.initializer[0]
    tensor.ClearField("float_data")
    tensor.ClearField("raw_data")
    tensor.data_location = tensor.EXTERNAL
    tensor.external_data.add(key="location", value="inner.data")
    onnx.save(model, tmp_path / "model.onnx")
    (tmp_path / "inner.data").write_bytes(np.float32(1).tobytes())
    before = content_hash.hash_model(tmp_path / "model.onnx")
    (tmp_path / "inner.data").write_bytes(np.float32(2).tobytes())
    assert content_hash.hash_model(tmp_path / "model.onnx") != before


def test_perturbed_answers_are_not_kept(model: Path, cache: ContentCache) -> None:
    remembering = MemoizedRunner(Counting(model), cache)
    with remembering.perturbed(lambda weights: {name: array + 1 for name, array in weights.items()}):
        other = remembering.run(FEEDS)["y"]
    assert np.array_equal(remembering.run(FEEDS)["y"], [3.5, 8.5])
    assert not np.array_equal(other, [3.5, 8.5])
    with remembering.perturbed(lambda weights: {name: array + 1 for name, array in weights.items()}):
        assert np.array_equal(remembering.run(FEEDS)["y"], other), "nor are kept ones taken"
