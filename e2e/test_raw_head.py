"""A detector exported without post-processing: packed with a head of its own, the same in the browser as natively."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from e2e.conftest import Webbuild
from tests.models import DETECT, detector, save
from webbuild.browser.chromium import BrowserHandle


@pytest.fixture(scope="module")
def report(webbuild: Webbuild, webgpu: BrowserHandle, tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder: Path = tmp_path_factory.mktemp("raw")
    model = save(detector(metadata=DETECT), folder / "raw.onnx")
    packed = webbuild("pack", model, "-o", folder / "out", "--no-verify")
    assert packed.returncode == 0, packed.stderr
    done = webbuild("verify", folder / "out", "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_both_backends_find_what_the_reference_finds(report: Any) -> None:
    assert report["task"]["output"] == "detections"
    assert sum(len(sample["detections"]) for sample in report["samples"]) > 10
    for run in report["backends"]:
        judged = [each for result in run["results"] for each in result["comparisons"]]
        assert {each["verdict"] for each in judged} == {"OK"}
    assert {run["backend"] for run in report["backends"]} == {"webgpu", "wasm"}


def test_every_node_of_the_head_runs_on_webgpu(report: Any) -> None:
    (run,) = [run for run in report["backends"] if run["backend"] == "webgpu"]
    assert [placement["provider"] for placement in run["placements"]] == ["WebGpuExecutionProvider"]
    assert not any(result["fallbackReason"] for result in run["results"])
