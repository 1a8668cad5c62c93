"""`webbuild pack --nms`: where NMS runs, as reported and as proven."""

from __future__ import annotations

import html
import json
from pathlib import Path

import numpy as np
import onnx
import pytest

from tests.bench.test_nms_forms import report
from tests.commands.program import Done, webbuild
from tests.exports import write
from tests.passes.selections import ranked
from webbuild.bench.nms_forms import TURNS
from webbuild.bench.report import BenchReport
from webbuild.commands import choose_nms, pack
from webbuild.errors import USAGE
from webbuild.manifest.manifest import DetectTask, Manifest, OptionInput, Suppression, TensorTask, decode
from webbuild.precision.fp16_backends import chromium
from webbuild.runners.content_cache import NO_CACHE

pytestmark = pytest.mark.usefixtures("stand_in")


def packed(name: str, folder: Path, nms: str, *more: str) -> tuple[Done, Manifest]:
    model = write(f"ultralytics-8.4.190-torchscript/{name}", folder)
    unverified = [] if nms == "auto" else ["--no-verify"]
    done = webbuild("pack", model, "-o", folder / "out", *unverified, "--nms", nms, *more)
    assert done.code == 0, done.stderr
    return done, decode((folder / "out" / "manifest.json").read_bytes())


def told_form(folder: Path) -> tuple[str, str]:
    told = json.loads((folder / "out" / "report.json").read_text("utf-8"))["suppression"]
    return told["form"], told["reason"]


def test_the_runtime_suppresses_behind_a_graph_that_ends_before(tmp_path: Path) -> None:
    done, manifest = packed("detect-nms", tmp_path, "shader")
    assert "; NMS in a shader" in done.stderr
    assert told_form(tmp_path) == (
        "shader",
        "by rule: 3 kernels in place of about 90, exact for any number of boxes",
    )
    webgpu, wasm = manifest.graphs
    assert isinstance(webgpu.suppression, Suppression)
    assert ([each.name for each in webgpu.suppression.outputs], webgpu.head_status) == (["output0"], None)
    assert webgpu.outputs == wasm.outputs == manifest.outputs
    assert not wasm.suppression


def test_in_the_graph_it_says_whether_it_converged(tmp_path: Path) -> None:
    done, manifest = packed("detect-nms", tmp_path, "gpu")
    assert "NMS on WebGPU in the graph, with fixed shapes: --nms gpu" in done.stderr
    assert told_form(tmp_path) == ("graph", "--nms gpu")
    webgpu, wasm = manifest.graphs
    assert not webgpu.suppression
    assert webgpu.head_status is not None
    assert wasm.head_status is None


def test_rotated_boxes_have_a_shader_of_their_own(tmp_path: Path) -> None:
    _, manifest = packed("obb-nms", tmp_path, "shader")
    assert told_form(tmp_path) == (
        "shader",
        "by rule: 4 kernels in place of about 90, exact for any number of boxes",
    )
    suppression = manifest.graphs[0].suppression
    assert suppression
    assert (suppression.rotated, suppression.max_candidates) == (True, 84)


def test_what_the_shader_has_not_stays_in_the_graph_and_pack_says_why(tmp_path: Path) -> None:
    file = write("ultralytics-8.4.190-torchscript/obb-nms", tmp_path)
    model = onnx.load(file)
    for tensor in model.graph.initializer:  # a side's variance is side^2 / 12; 11 is another formula
        if onnx.numpy_helper.to_array(tensor).tolist() == 12:
            tensor.CopyFrom(onnx.numpy_helper.from_array(np.array(11, np.float32), tensor.name))
    onnx.save(model, file)
    done = webbuild("pack", file, "-o", tmp_path / "out", "--no-verify", "--force")
    assert done.code == 0, done.stderr
    assert not decode((tmp_path / "out" / "manifest.json").read_bytes()).graphs[0].suppression
    reason = "its overlaps are not those that the runtime computes"
    assert f"NMS on WebGPU in the graph, with fixed shapes: {reason}" in done.stderr
    assert told_form(tmp_path) == ("graph", reason)
    assert reason in html.unescape((tmp_path / "out" / "report.html").read_text("utf-8"))


def test_on_the_cpu_it_is_proven_and_needs_no_fallback(tmp_path: Path) -> None:
    done, manifest = packed("detect-nms", tmp_path, "cpu")
    assert "NMS on WebGPU on the CPU: --nms cpu" in done.stderr
    assert isinstance(manifest.task, DetectTask)
    assert [graph.head_status for graph in manifest.graphs] == [None, None]
    assert {spec.option for spec in manifest.inputs if isinstance(spec, OptionInput)} == {"confidence", "iou"}


def test_kept_as_exported_it_has_no_thresholds_and_pack_says_what_may_come(tmp_path: Path) -> None:
    done, manifest = packed("detect-nms", tmp_path, "keep")
    assert "may throw" in done.stderr
    assert isinstance(manifest.task, DetectTask)
    assert not [spec for spec in manifest.inputs if isinstance(spec, OptionInput)]


def test_kept_as_exported_a_model_without_suppression_packs_as_tensors(tmp_path: Path) -> None:
    done, manifest = packed("detect-raw", tmp_path, "keep")
    assert "NMS is appended" not in done.stderr
    assert json.loads((tmp_path / "out" / "report.json").read_text("utf-8"))["suppression"] is None
    assert isinstance(manifest.task, TensorTask)


@pytest.mark.parametrize(("shader", "graph", "form"), [(10, 5, "graph"), (10, 9.5, "shader")])
def test_the_form_that_a_clock_says_is_faster_is_taken_and_pack_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shader: float, graph: float, form: str
) -> None:
    asked: list[str] = []

    def clock(folder: Path) -> BenchReport:
        asked.append(folder.name)
        return report(shader if folder.name == "shader" else graph, 7, "a card")

    monkeypatch.setattr(choose_nms, "_bench", clock)
    monkeypatch.setattr(choose_nms, "has_playwright", lambda: True)
    monkeypatch.setattr(pack, "has_playwright", lambda: False)
    done, manifest = packed("detect-nms", tmp_path, "auto")
    assert asked == ["shader", "graph"] * TURNS
    assert bool(manifest.graphs[0].suppression) == (form == "shader")
    reason = f"measured on a card: {shader:.2f} ms and 7 kernels a run in the shader, {graph:.2f} ms and 7 kernels"
    assert told_form(tmp_path) == (form, f"{reason} a run in the graph")
    assert f"NMS: {reason}" in done.stderr


def test_what_is_measured_is_packed_in_float32_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    measured: list[set[str]] = []

    def clock(folder: Path) -> BenchReport:
        graphs = decode((folder / "manifest.json").read_bytes()).graphs
        measured.append({graph.precision for graph in graphs})
        return report(10, 7, "a card")

    monkeypatch.setattr(choose_nms, "_bench", clock)
    monkeypatch.setattr(choose_nms, "has_playwright", lambda: True)
    monkeypatch.setattr(pack, "has_playwright", lambda: False)
    monkeypatch.setattr(chromium, "chromium_backend", lambda _: "the engine of the tests does not run")
    _, manifest = packed("detect-nms", tmp_path, "auto", "--precision", "mixed", "--budget", "evaluations=5")
    assert measured == [{"fp32"}] * 2 * TURNS
    assert {graph.precision for graph in manifest.graphs} > {"fp32"}


def test_without_a_browser_nothing_is_measured_and_pack_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(choose_nms, "has_playwright", lambda: False)
    monkeypatch.setattr(pack, "has_playwright", lambda: False)
    packed("detect-nms", tmp_path, "auto")
    form, reason = told_form(tmp_path)
    assert form == "shader"
    assert reason.startswith("a rule, not measured: no browser")


def test_another_clock_takes_another_form(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    times = {"shader": 10.0, "graph": 5.0}
    monkeypatch.setattr(choose_nms, "_bench", lambda folder: report(times[folder.name], 7, "a card"))
    monkeypatch.setattr(choose_nms, "has_playwright", lambda: True)
    monkeypatch.setattr(pack, "has_playwright", lambda: False)
    monkeypatch.delenv(NO_CACHE, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    packed("detect-nms", tmp_path, "auto")
    assert told_form(tmp_path)[0] == "graph"
    times["graph"] = 20.0
    packed("detect-nms", tmp_path, "auto", "--force")
    assert told_form(tmp_path)[0] == "shader"


def test_a_measurement_without_chromium_is_refused(tmp_path: Path) -> None:
    model = write("ultralytics-8.4.190-torchscript/detect-nms", tmp_path)
    done = webbuild("pack", model, "-o", tmp_path / "out", "--nms", "auto", "--no-verify")
    assert done.code == USAGE
    assert "error[conflicting-options] --nms auto runs the bundle in Chromium, and --no-verify does not" in done.stderr
    assert not (tmp_path / "out").exists()


def test_several_labels_of_a_box_are_suppressed_behind_the_graph(tmp_path: Path) -> None:
    file = tmp_path / "ranked.onnx"
    onnx.save(ranked(1, 3, 60, 4, 0.5, 0.25), file)
    done = webbuild("pack", file, "-o", tmp_path / "out", "--no-verify", "--task", "tensor")
    assert done.code == 0, done.stderr
    webgpu, wasm = decode((tmp_path / "out" / "manifest.json").read_bytes()).graphs
    assert webgpu.suppression
    assert webgpu.suppression.multi_label
    assert (webgpu.suppression.multi_label.count, webgpu.suppression.multi_label.order) == (3, "score")
    assert webgpu.outputs == wasm.outputs
    assert told_form(tmp_path)[0] == "shader"
