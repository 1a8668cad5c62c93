"""A bundle of an encoder and its decoder: each stage and both together, compared in Chromium."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import onnx
import pytest
from msgspec import to_builtins

from e2e.conftest import Webbuild
from tests.stages import pair
from webbuild.browser.chromium import BrowserHandle
from webbuild.manifest.file_entry import file_entry

NAMES = [f"{backend} {name}" for name in ("encoder", "decoder", "whole") for backend in ("wasm", "webgpu")]


@pytest.fixture(scope="module")
def packed(webbuild: Webbuild, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("stages")
    done = webbuild("pack", *pair(folder), "-o", folder / "out", "--no-verify")
    assert done.returncode == 0, done.stderr
    return folder / "out"


def test_each_stage_and_all_together_agree_with_native_on_both_backends(
    webbuild: Webbuild, packed: Path, webgpu: BrowserHandle
) -> None:
    done = webbuild("verify", packed, "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    report = json.loads(done.stdout)
    assert [run["backend"] for run in report["backends"]] == NAMES
    assert report["stages"] == ["encoder", "decoder"]
    for run in report["backends"]:
        outputs = {each["subject"]["output"] for result in run["results"] for each in result["comparisons"]}
        assert outputs >= ({"embedding", "detail"} if "encoder" in run["backend"] else {"masks", "scores"})
        assert all(each["verdict"] == "OK" for result in run["results"] for each in result["comparisons"])
    assert "in encoder and decoder and all together" in " ".join(done.stderr.split())


def test_a_decoder_that_is_wrong_on_one_backend_is_named(
    webbuild: Webbuild, packed: Path, webgpu: BrowserHandle, tmp_path: Path
) -> None:
    broken = shutil.copytree(packed, tmp_path / "broken")
    manifest = json.loads((broken / "manifest.json").read_text())
    graph = next(each for each in manifest["stages"][0]["graphs"] if each["target"] == "webgpu")
    model = onnx.load(broken / graph["file"])
    weights = next(each for each in model.graph.initializer if each.name == "w3")
    weights.CopyFrom(onnx.numpy_helper.from_array(onnx.numpy_helper.to_array(weights) * 2, "w3"))
    graph["file"] = "model/doubled.onnx"
    onnx.save(model, broken / graph["file"])
    manifest["files"].append(to_builtins(file_entry(broken / graph["file"], broken)))
    (broken / "manifest.json").write_text(json.dumps(manifest))
    done = webbuild("verify", broken, "--backend", "webgpu", "--json")
    assert done.returncode == 1
    report = json.loads(done.stdout)
    verdicts = {
        run["backend"]: {each["verdict"] for result in run["results"] for each in result["comparisons"]}
        for run in report["backends"]
    }
    assert verdicts["webgpu encoder"] == {"OK"}, done.stderr
    assert "DIFFERS" in verdicts["webgpu decoder"] & verdicts["webgpu whole"]
    assert "WebGPU decoder" in done.stderr
