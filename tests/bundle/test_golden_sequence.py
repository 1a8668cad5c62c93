"""The recorded sequence of a model with state: few small outputs that show whether each state is carried over."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest

from tests.models import save
from tests.stateful import GRU, MATTING, stateful
from webbuild.bundle import golden_sequence
from webbuild.bundle.golden import GoldenRun
from webbuild.bundle.golden_sequence import STEPS, with_sequence
from webbuild.manifest.manifest import Graph, Input, StateInput, TensorInput
from webbuild.preprocess.state_feeds import state_feeds
from webbuild.runners.native import NativeRunner
from webbuild.runners.stateful import StatefulRuns
from webbuild.samples.sample import Sample

X = TensorInput(name="x", dtype="float32", shape=[1, 8])
STATE = StateInput(name="state", dtype="float32", shape=[1, 4], output="stateN")
SOURCE = TensorInput(name="src", dtype="float32", shape=[1, 3, 32, 48])
RATIO = TensorInput(name="downsample_ratio", dtype="float32", shape=[1])
FIRST = StateInput(name="r1i", dtype="float32", shape=[1, 4, 16, 24], output="r1o")
SECOND = StateInput(name="r2i", dtype="float32", shape=[1, 6, 8, 12], output="r2o")


def recorded(folder: Path, model: onnx.ModelProto, *inputs: Input) -> GoldenRun:
    save(model, folder / "model.onnx")
    graph = Graph(target="wasm", file="model.onnx", weights=[], nodes=1, outputs=[], head_status=None)
    feeds = {spec.name: np.full(spec.shape, 0.7, np.float32) for spec in inputs if isinstance(spec, TensorInput)}
    sample = Sample("one", {**feeds, **state_feeds(inputs)})
    return with_sequence(GoldenRun(sample, {}), inputs, [graph], folder)


def last_run(folder: Path, sample: Sample, states: list[StateInput], dropped: str) -> dict[str, np.ndarray]:
    """Return the outputs of the last run if a state is reset to zeros before each run."""
    runner = NativeRunner(folder / "model.onnx")
    runs = StatefulRuns(runner.run, states)
    for step in range(STEPS):
        outputs = runs(sample.feeds, continues=step > 0)
        runs.forget(dropped)
    return dict(outputs)


def test_the_smallest_output_that_shows_the_state_is_recorded(tmp_path: Path) -> None:
    run = recorded(tmp_path, stateful(GRU), X, STATE)
    assert list(run.sequence) == ["y"]
    dropped = last_run(tmp_path, run.sample, [STATE], "state")["y"]
    assert np.linalg.norm(dropped - run.sequence["y"]) > 0.02 * np.linalg.norm(run.sequence["y"])


def test_each_of_several_states_shows(tmp_path: Path) -> None:
    run = recorded(tmp_path, stateful(MATTING), SOURCE, RATIO, FIRST, SECOND)
    assert run.sequence
    for state in (FIRST, SECOND):
        dropped = last_run(tmp_path, run.sample, [FIRST, SECOND], state.name)
        apart = [np.linalg.norm(dropped[name] - one) / np.linalg.norm(one) for name, one in run.sequence.items()]
        assert max(apart) > 0.02


def test_a_model_without_states_has_no_sequence(tmp_path: Path) -> None:
    still = TensorInput(name="state", dtype="float32", shape=[1, 4])
    assert recorded(tmp_path, stateful(GRU), X, still).sequence == {}


def test_no_more_is_recorded_than_a_visitor_should_download(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(golden_sequence, "_MAX_BYTES", 7)
    assert recorded(tmp_path, stateful(GRU), X, STATE).sequence == {}
