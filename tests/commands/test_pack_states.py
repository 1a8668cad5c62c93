"""Models with state, packed and patched: which tensors are states, how they are proven, and their manifest entries."""

from __future__ import annotations

import json
from pathlib import Path

import onnx
import pytest

from tests.commands.program import webbuild
from tests.models import HEADER, parsed, save
from tests.stateful import AVERAGE, GRU, MATTING, VOICE, stateful
from webbuild.manifest.manifest import Manifest, decode

pytestmark = pytest.mark.usefixtures("stand_in")

COUNTER = f"""{HEADER}
counter (float[1,4] x, int64[1] count, int64[1] gain) => (float[1,4] y, int64[1] next_count)
<int64[1] one = {{1}}>
{{
  next_count = Add (count, one)
  times = Cast <to = 1> (count)
  louder = Cast <to = 1> (gain)
  counted = Mul (x, times)
  y = Mul (counted, louder)
}}"""
"""Multiplies by the run number: an integer state next to an integer input."""


def manifest(folder: Path) -> Manifest:
    return decode((folder / "manifest.json").read_bytes())


def test_a_matting_network_keeps_its_states(tmp_path: Path) -> None:
    model = save(stateful(MATTING), tmp_path / "matting.onnx")
    done = webbuild("pack", model, "-o", tmp_path / "out", "--no-verify", "--dim", "h=32", "--dim", "w=48")
    assert done.code == 0, done.stderr
    assert "note: state: r1i [1, 4, 16, 24] <- r1o, r2i [1, 6, 8, 12] <- r2o (by name), zeros at first" in done.stderr
    assert "samples and a sequence of 32 runs" in done.stderr
    written = manifest(tmp_path / "out")
    assert [type(spec).__name__ for spec in written.inputs] == ["ImageInput", "StateInput", "StateInput", "NumberInput"]
    assert [spec.name for spec in written.outputs] == ["fgr", "pha"]
    golden = written.golden
    assert golden is not None
    assert set(golden.inputs) == {"src", "downsample_ratio"}
    assert set(golden.outputs) == {"fgr", "pha"}
    report = (tmp_path / "out" / "report.html").read_text("utf-8")
    assert "a state: output r1o of the previous run, zeros at first" in report


def test_a_voice_detector_packs_as_tensors(tmp_path: Path) -> None:
    model = save(stateful(VOICE), tmp_path / "voice.onnx")
    done = webbuild("pack", model, "-o", tmp_path / "out", "--no-verify", "--set", "sr=16000")
    assert done.code == 0, done.stderr
    assert "note: state: state [2, 1, 16] <- stateN (by name), zeros at first" in done.stderr
    written = manifest(tmp_path / "out")
    assert [(spec.name, type(spec).__name__) for spec in written.inputs] == [
        ("input", "TensorInput"),
        ("state", "StateInput"),
    ]
    assert [spec.name for spec in written.outputs] == ["output"]


def test_what_is_state_and_result_stays_a_result(tmp_path: Path) -> None:
    model = save(stateful(AVERAGE), tmp_path / "average.onnx")
    done = webbuild("pack", model, "-o", tmp_path / "out", "--no-verify", "--state", "before=y")
    assert done.code == 0, done.stderr
    assert [spec.name for spec in manifest(tmp_path / "out").outputs] == ["y"]


def test_a_state_of_whole_numbers_keeps_the_type_of_its_output(tmp_path: Path) -> None:
    model = save(parsed(COUNTER), tmp_path / "counter.onnx")
    done = webbuild("pack", model, "-o", tmp_path / "out", "--no-verify")
    assert done.code == 0, done.stderr
    types = {spec.name: spec.dtype for spec in manifest(tmp_path / "out").inputs}
    assert types == {"x": "float32", "count": "int64", "gain": "int32"}


def test_a_pair_that_is_not_proven_is_warned_of_until_it_is_given(tmp_path: Path) -> None:
    model = save(parsed(COUNTER), tmp_path / "counter.onnx")  # no input changes what it counts
    done = webbuild("pack", model, "-o", tmp_path / "out", "--no-verify")
    assert "warning: [unproven-state] state 'count'" in done.stderr
    (warning,) = manifest(tmp_path / "out").warnings
    assert warning.startswith("[unproven-state]")
    given = ("--state", "count=next_count")
    done = webbuild("pack", model, "-o", tmp_path / "given", "--no-verify", *given)
    assert done.code == 0, done.stderr
    assert "unproven-state" not in done.stderr
    assert manifest(tmp_path / "given").warnings == []


def test_a_patched_model_keeps_its_states(tmp_path: Path) -> None:
    model = save(stateful(MATTING), tmp_path / "matting.onnx")
    done = webbuild("patch", model, "-o", tmp_path / "out", "--dim", "h=32", "--dim", "w=48", "--json")
    assert done.code == 0, done.stderr
    (outcome,) = json.loads(done.stdout)
    graph = onnx.load(outcome["files"][0]["file"]).graph
    shapes = {
        each.name: [d.dim_value for d in each.type.tensor_type.shape.dim] for each in (*graph.input, *graph.output)
    }
    assert shapes["r1i"] == shapes["r1o"] == [1, 4, 16, 24]
    assert shapes["r2i"] == shapes["r2o"] == [1, 6, 8, 12]
    assert outcome["repairs"][0].startswith("state: r1i")


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (["--state", "state"], "invalid-state-pair"),
        (["--state", "state=stateN", "--state", "x=stateN"], "invalid-state-pair"),
        (["--state", "state=state"], "unknown-state"),
        (["--state", "state=y"], "state-mismatch"),
        (["--batch", "1,2"], "fixed-batch"),
    ],
    ids=str,
)
def test_what_cannot_be_is_refused(tmp_path: Path, options: list[str], code: str) -> None:
    model = save(stateful(GRU), tmp_path / "cell.onnx")
    done = webbuild("pack", model, "-o", tmp_path / "out", "--no-verify", *options)
    assert (done.code, done.error) == (2, code)
    assert not (tmp_path / "out").exists()


def test_a_model_whose_state_is_none_is_refused_until_that_is_said(tmp_path: Path) -> None:
    proto = stateful(GRU)
    proto.graph.node[2].input[1] = "seen"  # in place of the next state
    model = save(proto, tmp_path / "cell.onnx")
    assert webbuild("pack", model, "-o", tmp_path / "out", "--no-verify").error == "unused-state"
    done = webbuild("pack", model, "-o", tmp_path / "out", "--no-verify", "--state", "none")
    assert done.code == 0, done.stderr
    assert {type(spec).__name__ for spec in manifest(tmp_path / "out").inputs} == {"TensorInput"}
