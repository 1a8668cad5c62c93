"""Packing with an additional graph in half precision, without a browser."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx_ir as ir
import pytest
from numpy.typing import NDArray

from benchmarks.fp16.rounding import RoundedFp16
from tests.commands.program import Done, webbuild
from tests.precision.trapped import network
from webbuild.errors import WebbuildError
from webbuild.manifest.manifest import StateInput, decode
from webbuild.precision.fp16_backends import EmulatedFp16, Fp16Backend
from webbuild.runners.tensors import Tensors

CANCELLED = network("[up] u = Add (a, many)\n[down] b = Sub (u, many)", "float many = {1000}")
"""A graph with two nodes whose values need more digits than float16 has."""


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Done, Path]:
    folder = tmp_path_factory.mktemp("mixed")
    ir.save(CANCELLED, folder / "net.onnx")
    options = ("--precision", "auto", "--no-verify", "--json")
    return webbuild("pack", folder / "net.onnx", "-o", folder / "out", *options), folder / "out"


def test_the_bundle_holds_both_graphs_with_weights_of_their_own(mixed: tuple[Done, Path]) -> None:
    done, folder = mixed
    assert (done.code, done.stderr) == (0, "")
    manifest = decode((folder / "manifest.json").read_bytes())
    assert [(g.target, g.precision, g.features) for g in manifest.graphs] == [
        ("webgpu", "mixed", ["shader-f16"]), ("webgpu", "fp32", []), ("wasm", "fp32", []),
    ]  # fmt: skip
    half, whole, _ = manifest.graphs
    assert not set(half.weights) & set(whole.weights)
    sizes = [sum((folder / path).stat().st_size for path in graph.weights) for graph in (half, whole)]
    assert sizes[0] <= 0.51 * sizes[1]


def test_the_report_says_what_was_kept_and_what_was_tried(mixed: tuple[Done, Path]) -> None:
    done, folder = mixed
    report = json.loads(done.stdout)["pack"]
    searched = report["precisionSearch"]
    assert searched["precision"] == "mixed"
    kept = {name for each in searched["fp32Nodes"] for name in each["nodes"]}
    assert {"up", "down"} <= kept
    assert len(kept) <= 3 < searched["nodes"]
    assert searched["fp16Nodes"] + len(kept) == searched["nodes"]
    right = [each for each in searched["steps"] if not each["reason"]]
    assert 0 < right[-1]["toleranceUsed"]["y"] < 1 < searched["steps"][0]["toleranceUsed"]["y"]
    assert {each["subject"]["runner"] for each in report["comparisons"]} == {"webgpu", "wasm", "webgpu mixed"}
    page = (folder / "report.html").read_text("utf-8")
    assert page.count("<circle") == len(searched["steps"])
    assert "the results differ with it in float16" in page


def test_all_that_can_be_is_refused_where_it_is_wrong_and_nothing_is_written(tmp_path: Path) -> None:
    ir.save(CANCELLED, tmp_path / "net.onnx")
    done = webbuild("pack", tmp_path / "net.onnx", "-o", tmp_path / "out", "--precision", "fp16", "--no-verify")
    assert (done.code, done.error) == (1, "fp16-mismatch")
    assert "--precision mixed" in done.stderr
    assert not (tmp_path / "out").exists()


def test_what_does_not_pay_stays_as_it_is_and_says_why(tmp_path: Path) -> None:
    ir.save(network(""), tmp_path / "net.onnx")
    options = ("--precision", "auto", "--budget", "saving=0.9", "--no-verify", "--json")
    done = webbuild("pack", tmp_path / "net.onnx", "-o", tmp_path / "out", *options)
    assert done.code == 0
    manifest = decode((tmp_path / "out" / "manifest.json").read_bytes())
    assert [graph.precision for graph in manifest.graphs] == ["fp32", "fp32"]
    report = json.loads(done.stdout)["pack"]
    assert "less than the required 90%" in report["precision"]
    assert report["precisionSearch"]["precision"] == "fp32"


def test_a_budget_that_makes_no_sense_stops_before_anything_is_read(tmp_path: Path) -> None:
    done = webbuild("pack", tmp_path / "m.onnx", "--precision", "auto", "--budget", "speed=1")
    assert (done.code, done.error) == (2, "invalid-budget")


@pytest.mark.parametrize(("asked", "code"), [("auto", 0), ("mixed", 1)])
def test_where_float16_cannot_be_computed_only_auto_goes_on(
    asked: str, code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise WebbuildError("fp16-backend-failed", "float16, emulated: out of order", "fix it")

    monkeypatch.setattr(EmulatedFp16, "run", fail)
    ir.save(network(""), tmp_path / "net.onnx")
    done = webbuild(
        "pack", tmp_path / "net.onnx", "-o", tmp_path / "out", "--precision", asked, "--no-verify", "--json"
    )
    assert done.code == code
    if code:
        assert done.error == "fp16-backend-failed"
        assert not (tmp_path / "out").exists()
    else:
        assert json.loads(done.stdout)["pack"]["precision"] == "float32: float16, emulated: out of order"
        assert len(decode((tmp_path / "out" / "manifest.json").read_bytes()).graphs) == 2


def test_two_ways_to_make_a_model_smaller_are_not_combined(tmp_path: Path) -> None:
    done = webbuild("pack", tmp_path / "m.onnx", "--precision", "auto", "--weight-dtype", "int8")
    assert (done.code, done.error) == (2, "conflicting-options")


class Right(Fp16Backend):
    """A browser with exact arithmetic."""

    name, reason = "Chromium", "for a test"

    def run(
        self, model: ir.Model, feeds: Sequence[Tensors], states: Sequence[StateInput] = ()
    ) -> list[dict[str, NDArray[Any]]]:
        return RoundedFp16().run(model, feeds, states)


class Coarse(Right):
    """A browser that computes one product wrongly."""

    def run(
        self, model: ir.Model, feeds: Sequence[Tensors], states: Sequence[StateInput] = ()
    ) -> list[dict[str, NDArray[Any]]]:
        halved = any(node.name == "before" and node.inputs[0].dtype is ir.DataType.FLOAT16 for node in model.graph)  # type: ignore[union-attr]
        found = super().run(model, feeds, states)
        return [{name: array + 0.5 * halved for name, array in each.items()} for each in found]


def test_what_the_arithmetic_of_visitors_gets_wrong_stays_float32(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("webbuild.compile.mixed_precision.select_backend", lambda **_: Coarse())
    ir.save(network(""), tmp_path / "net.onnx")
    options = ("--precision", "auto", "--no-verify", "--json")
    done = webbuild("pack", tmp_path / "net.onnx", "-o", tmp_path / "out", *options)
    assert done.code == 0
    report = json.loads(done.stdout)["pack"]
    assert (report["fp16Backend"], report["precisionSearch"]["precision"]) == ("Chromium", "mixed")
    assert {name for each in report["precisionSearch"]["fp32Nodes"] for name in each["nodes"]} == {"before"}


def test_what_the_emulation_finds_is_confirmed_by_the_arithmetic_of_visitors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("webbuild.compile.mixed_precision.select_backend", lambda **_: Right())
    ir.save(network(""), tmp_path / "net.onnx")
    options = ("--precision", "auto", "--no-verify", "--json")
    done = webbuild("pack", tmp_path / "net.onnx", "-o", tmp_path / "out", *options)
    report = json.loads(done.stdout)["pack"]
    assert (report["fp16Backend"], report["precisionSearch"]["precision"]) == ("Chromium", "fp16")
    assert len(report["precisionSearch"]["steps"]) == 1


def test_the_self_test_runs_the_sample_on_which_float16_is_nearest_to_its_tolerance(tmp_path: Path) -> None:
    ir.save(network(""), tmp_path / "net.onnx")
    generator = np.random.default_rng(5)
    samples = [tmp_path / f"{index}.npz" for index in range(4)]
    for sample in samples:
        np.savez(sample, x=generator.normal(0, 1, (4, 16)).astype(np.float32))
    options: list[str | Path] = ["--precision", "auto", "--no-verify", "--json", "--sample", *samples]
    done = webbuild("pack", tmp_path / "net.onnx", "-o", tmp_path / "out", *options)
    half = [
        each for each in json.loads(done.stdout)["pack"]["comparisons"] if each["subject"]["runner"] == "webgpu fp16"
    ]
    used = {each["subject"]["sample"]: each["maxAbs"] / each["tolerance"] for each in half}
    assert len(set(used.values())) == len(samples)
    golden = decode((tmp_path / "out" / "manifest.json").read_bytes()).golden
    assert golden is not None
    assert golden.sample == max(used, key=lambda name: used[name])
