"""Predictions compared with Chromium: the placement of every node, and the outcome."""

from __future__ import annotations

import json
from pathlib import Path

import onnx
import pytest

from tests.commands.program import webbuild
from tests.models import parsed, save
from webbuild.errors import WebbuildError
from webbuild.inspection.inspect import inspect
from webbuild.inspection.measure import MAX_MODEL_BYTES, measure_in_chromium, serialize
from webbuild.inspection.measured_outcome import Measurement
from webbuild.model.load import load_onnx
from webbuild.samples.random_inputs import random_feeds
from webbuild.targets.table import load_table
from webbuild.targets.target import Target

HEADER = '<ir_version: 8, opset_import: ["" : 17]>'
MODELS = {
    "all on the GPU": "g (float[1,8] x) => (float[1,8] y) { a = Exp (x) y = Neg (a) }",
    "a partition of one": """g (float[1,8] x, float[8,8] w) => (float[1,8] y) {
      a = Exp (x) b = Det (w) c = Neg (a) y = Add (c, b) }""",
    "indices": """g (float[1,40] x) => (int64[1,5] y, float[1,5] z) <int64[1] k = {5}, int64[1] m = {3}> {
      z, i = TopK (x, k) y = Mod (i, m) }""",
    "what is folded": """g (float[2,4] x) => (float[2,4] y) {
      s = Shape (x) c = Cast <to = 1> (s) r = ReduceSum <keepdims = 0> (c) e = Exp (x) y = Mul (e, r) }""",
    "integers in": "g (int64[1,8] i, bool[1,8] b) => (int64[1,8] y) { n = Neg (i) y = Where (b, i, n) }",
    "a wrong answer": """g (float[9,4] x) => (float[3,4] y)
      <int64[1] a = {7}, int64[1] b = {1}, int64[1] c = {0}, int64[1] d = {-2}> {
      e = Exp (x) s = Slice (e, a, b, c, d) y = Neg (s) }""",
    "a throw": """g (float[1,8] x, float[0,8] z) => (float[1,8] y) <int64[1] a = {0}> {
      m = ReduceMax <axes = [0], keepdims = 1> (z) y = Add (x, m) }""",
    "no session": "g (float[4] x) => (float[4] y) <double d = {2}> { e = Cast <to = 1> (d) y = Mul (x, e) }",
}
FREE = "g (float[batch,width] x) => (float[batch,width] y) { s = Shape (x) z = ConstantOfShape (s) y = Add (x, z) }"


def measured(path: Path, dims: dict[str, int] | None = None) -> Measurement:
    source = load_onnx(path)
    found = inspect(path.name, source.model, load_table(Target("1.30.0", "webgpu")), dims or {})
    return measure_in_chromium(found, source, dims or {})


@pytest.mark.browser
@pytest.mark.parametrize("name", MODELS)
def test_the_nodes_are_where_they_were_said_to_be(name: str, tmp_path: Path) -> None:
    found = measured(save(parsed(f"{HEADER} {MODELS[name]}"), tmp_path / f"{name}.onnx"))
    assert found.disagreements == (), found
    assert found.predicted_outcome == found.measured_outcome
    if found.measured_outcome != "no-session":
        assert sum(line.measured.gpu + line.measured.cpu for line in found.operators) > 0


@pytest.mark.browser
def test_the_node_that_fails_is_named(tmp_path: Path) -> None:
    wrong = measured(save(parsed(f"{HEADER} {MODELS['a wrong answer']}"), tmp_path / "wrong.onnx"))
    assert (wrong.measured_outcome, wrong.wrong_node) == ("wrong", 1)
    throws = measured(save(parsed(f"{HEADER} {MODELS['a throw']}"), tmp_path / "throws.onnx"))
    assert (throws.measured_outcome, throws.throwing_node) == ("throws", 0)
    assert "ReduceMax" in throws.message


@pytest.mark.browser
def test_free_sizes_are_those_that_were_given(tmp_path: Path) -> None:
    found = measured(save(parsed(f"{HEADER} {FREE}"), tmp_path / "free.onnx"), {"batch": 2, "width": 5})
    assert (found.measured_outcome, found.disagreements) == ("runs", ())


@pytest.mark.browser
def test_a_prediction_that_does_not_hold_names_what_to_probe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = save(parsed(f"{HEADER} {MODELS['a partition of one']}"), tmp_path / "partition.onnx")
    source = load_onnx(path)
    known = load_table(Target("1.30.0", "webgpu"))
    monkeypatch.setitem(known.kernels, "Det", {"11": {"gpu": ["float"]}})
    found = measure_in_chromium(inspect("partition.onnx", source.model, known, {}), source, {})
    assert found.disagreements == ("1 on the CPU, not on the GPU: probe Det of float since 11",)


@pytest.mark.browser
def test_the_command_measures_a_model_with_weights_beside_it(tmp_path: Path) -> None:
    model = parsed(
        f"{HEADER} g (float[1,8] x) => (float[1,8] y) <float[8] w = {{1,2,3,4,5,6,7,8}}> {{ y = Mul (x, w) }}"
    )
    path = tmp_path / "beside.onnx"
    onnx.save(model, path, save_as_external_data=True, location="beside.data", size_threshold=0)
    done = webbuild("inspect", path, "--measure", "--json")
    found = json.loads(done.stdout)["measurement"]
    assert (done.code, found["disagreements"]) == (0, [])
    assert (found["predictedOutcome"], found["measuredOutcome"]) == ("runs", "runs")
    assert "outcome: 'runs' predicted, 'runs' measured" in webbuild("inspect", path, "--measure").stdout


def test_what_is_no_number_is_not_made_up(tmp_path: Path) -> None:
    path = save(parsed(f"{HEADER} g (string[2] x) => (string[2] y) {{ y = Identity (x) }}"), tmp_path / "text.onnx")
    found = inspect("text.onnx", load_onnx(path).model, load_table(Target("1.30.0", "webgpu")), {})
    with pytest.raises(WebbuildError, match="only tensors of numbers"):
        random_feeds(found.model, found.inputs)


def test_what_no_page_takes_is_refused_before_it_is_read(tmp_path: Path) -> None:
    path = save(
        parsed(f"{HEADER} g (float[1] x) => (float[1] y) <float[1] w = {{1}}> {{ y = Mul (x, w) }}"), tmp_path / "m"
    )
    model = load_onnx(path).model
    assert len(serialize(model, "m")) < MAX_MODEL_BYTES
    with pytest.raises(WebbuildError, match="MiB of weights"):
        serialize(model, "m", largest=3)
