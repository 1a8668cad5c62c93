"""`webbuild bench` on a tiny image model: all is measured, an impossible measurement fails. No time is judged."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from e2e import broken
from e2e.conftest import Webbuild
from tests.colours import paint
from tests.models import HEADER, parsed, save
from tests.stages import pair
from webbuild.browser.chromium import BrowserHandle

MEANS = f"""{HEADER} means (float[1,3,6,5] x) => (float[1,3,1,1] y)
{{ doubled = Add (x, x) y = GlobalAveragePool (doubled) }}"""


@pytest.fixture(scope="module")
def means(webbuild: Webbuild, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("means")
    paint(folder / "samples")
    model = save(parsed(MEANS), folder / "means.onnx")
    done = webbuild("pack", model, "-o", folder / "means", "--no-verify", "--scale", "1")
    assert done.returncode == 0, done.stderr
    return folder / "means"


@pytest.fixture(scope="module")
def report(webbuild: Webbuild, means: Path, webgpu: BrowserHandle, tmp_path_factory: pytest.TempPathFactory) -> Any:
    html = tmp_path_factory.mktemp("report") / "bench.html"
    done = webbuild("bench", means, "--runs", 4, "--json", "--html", html)
    assert done.returncode == 0, done.stderr
    assert "Benchmark" in html.read_text()
    assert "p95" in done.stderr
    return json.loads(done.stdout)


def test_each_backend_is_measured_whole(report: Any) -> None:
    assert [each["backend"] for each in report["backends"]] == ["webgpu", "wasm"]
    for each in report["backends"]:
        assert each["problems"] == []
        for visit in (each["firstLoad"], each["secondLoad"]):
            assert 0 < visit["imported"] < visit["session"] < visit["loaded"] < visit["firstResult"]
            assert visit["firstResult"] == pytest.approx(visit["loaded"] + visit["firstRun"])
        assert len(each["runTimes"]["runs"]) == 4
        assert {"preprocess", "inference"} <= set(each["runTimes"]["stages"])
        assert all(0 <= sum(stages) < sum(each["runTimes"]["runs"]) for stages in each["runTimes"]["stages"].values())
        assert each["profile"]["longTasks"]["longest"] > 0
        assert each["profile"]["growth"]["heap"] is not None


def test_the_peak_of_memory_is_measured(report: Any) -> None:
    webgpu, wasm = (each["peakMemory"] for each in report["backends"])
    for peak in (webgpu, wasm):
        assert peak["page"] > peak["wasm"] > 10_000_000, "the engine's memory is a part of it"
    assert webgpu["gpu"] > 0
    assert wasm["gpu"] == 0
    assert webgpu["weights"] == wasm["weights"]


def test_nothing_is_read_back_between_stages_on_a_gpu(
    webbuild: Webbuild, webgpu: BrowserHandle, tmp_path: Path
) -> None:
    done = webbuild("pack", *pair(tmp_path), "-o", tmp_path / "out", "--no-verify")
    assert done.returncode == 0, done.stderr
    done = webbuild("bench", tmp_path / "out", "--backend", "webgpu", "--runs", 2, "--json")
    assert done.returncode == 0, done.stderr
    (each,) = json.loads(done.stdout)["backends"]
    assert each["problems"] == []
    masks, scores = 4 * 16 * 16, 8
    read = (each["profile"]["betweenStages"], each["profile"]["perRun"]["readBytes"])
    assert read == (0, 4 * (masks + scores))
    assert "read back between stages" in done.stderr


def test_bytes_are_those_of_the_files(report: Any, means: Path) -> None:
    described = json.loads((means / "manifest.json").read_text())
    sizes = {file["path"]: file["size"] for file in described["files"]}
    loaded = {".js", ".mjs", ".json", ".onnx", ".bin"}
    others = sum(file.stat().st_size for file in means.rglob("*") if file.suffix in loaded)
    assert others < min(sizes[engine["wasm"]] for engine in described["engines"]), "else a second engine hides in it"
    for each, build in zip(report["backends"], ("jspi", "wasm"), strict=True):
        (engine,) = [engine for engine in described["engines"] if engine["build"] == build]
        assert sizes[engine["wasm"]] < each["firstLoad"]["bytes"] < sizes[engine["wasm"]] + others
        assert each["secondLoad"]["bytes"] < 100_000


def test_only_the_gpu_is_asked_for_kernels(report: Any) -> None:
    webgpu, wasm = report["backends"]
    assert webgpu["profile"]["nodes"] >= 2
    assert webgpu["profile"]["cpuNodes"] == 0
    assert webgpu["profile"]["perRun"]["dispatches"] >= 2
    assert webgpu["profile"]["perRun"]["readbacks"] >= 1
    assert webgpu["adapter"]
    assert set(wasm["profile"]["perRun"].values()) == {0}
    assert wasm["adapter"] == ""


def test_a_bundle_that_does_not_load_has_failed(webbuild: Webbuild, means: Path, tmp_path: Path) -> None:
    copy = broken.copy(means, tmp_path)
    (graph,) = {graph["file"] for graph in broken.manifest(copy)["graphs"] if graph["target"] == "wasm"}
    (copy / graph).write_bytes(b"")
    done = webbuild("bench", copy, "--backend", "wasm", "--json")
    assert done.returncode == 1
    (each,) = json.loads(done.stdout)["backends"]
    assert (each["firstLoad"], each["runTimes"], each["profile"]) == (None, None, None)
    assert each["problems"][0]["code"] == "corrupt-file"


def test_no_bundle_is_a_mistake_of_the_call(webbuild: Webbuild, tmp_path: Path) -> None:
    done = webbuild("bench", tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert "error[bundle-not-found]" in done.stderr
