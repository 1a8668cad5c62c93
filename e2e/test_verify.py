"""`webbuild verify` on the shipped model: it detects agreement, and every kind of wrong bundle."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from e2e import broken
from e2e.conftest import Webbuild
from tests.characterization import compare_recorded
from tests.characterization.summary import summarize_verification
from webbuild.browser.chromium import BrowserHandle


@pytest.fixture(scope="session")
def report(webbuild: Webbuild, bundle: Path, webgpu: BrowserHandle, tmp_path_factory: pytest.TempPathFactory) -> Any:
    html = tmp_path_factory.mktemp("report") / "report.html"
    done = webbuild("verify", bundle, "--json", "--html", html)
    assert done.returncode == 0, done.stderr
    assert "Same results" in html.read_text()
    return json.loads(done.stdout)


def test_the_backends_answer_what_was_recorded(report: Any, regenerate: bool) -> None:
    compare_recorded("yolo-pose/verify", summarize_verification(report), regenerate=regenerate)


def test_both_backends_agree_with_native_on_detections(report: Any) -> None:
    assert {run["backend"] for run in report["backends"]} == {"webgpu", "wasm"}
    assert sum(len(sample["detections"]) for sample in report["samples"]) > 10
    for run in report["backends"]:
        judged = [each for result in run["results"] for each in result["comparisons"]]
        assert {each["verdict"] for each in judged} == {"OK"}
        assert {each["subject"]["stage"] for each in judged} == {"input", "raw", "decoded"}
        assert run["problems"] == []


def test_every_node_runs_on_webgpu(report: Any) -> None:
    (run,) = [run for run in report["backends"] if run["backend"] == "webgpu"]
    (placement,) = run["placements"]
    assert placement["provider"] == "WebGpuExecutionProvider"
    assert placement["count"] > 100


def test_the_reference_was_checked_against_the_packed_answers(report: Any) -> None:
    assert report["checks"]
    assert {each["verdict"] for each in report["checks"]} == {"OK"}


def test_timings_and_adapter_are_told(report: Any) -> None:
    for run in report["backends"]:
        assert all(run["timings"][name] > 0 for name in ("load", "session", "steadyRun"))
        assert bool(run["adapter"]) == (run["backend"] == "webgpu")


def verify(webbuild: Webbuild, bundle: Path, *arguments: object) -> tuple[int, Any]:
    done = webbuild("verify", bundle, "--backend", "wasm", "--json", *arguments)
    return done.returncode, json.loads(done.stdout)


def test_wasm_alone_needs_no_gpu_and_takes_a_picture_of_ones_own(
    webbuild: Webbuild, bundle: Path, tmp_path: Path
) -> None:
    picture = tmp_path / "my picture.jpg"
    picture.write_bytes(next((bundle / "samples").glob("*several*")).read_bytes())
    code, found = verify(webbuild, bundle, "--sample", picture)
    assert code == 0
    assert [run["backend"] for run in found["backends"]] == ["wasm"]
    assert found["samples"][-1]["title"] == "my picture.jpg"


def test_damaged_weights_are_found(webbuild: Webbuild, bundle: Path, tmp_path: Path) -> None:
    copy = broken.copy(bundle, tmp_path)
    broken.flip_weights(copy, rehash=False)
    code, found = verify(webbuild, copy)
    assert code == 1
    assert found["problems"][0]["code"] == "changed-file"
    assert found["backends"][0]["problems"][0]["code"] == "corrupt-file"


def test_weights_flipped_with_a_manifest_that_vouches_for_them_are_found(
    webbuild: Webbuild, bundle: Path, tmp_path: Path
) -> None:
    copy = broken.copy(bundle, tmp_path)
    broken.flip_weights(copy, rehash=True)
    code, found = verify(webbuild, copy)
    assert code == 1
    assert "DIFFERS" in {each["verdict"] for each in found["checks"]}


def test_nobody_on_any_sample_proves_nothing(webbuild: Webbuild, bundle: Path, tmp_path: Path) -> None:
    copy = broken.copy(bundle, tmp_path)
    broken.only_an_empty_picture(copy)
    code, found = verify(webbuild, copy)
    assert code == 1
    verdicts = {
        each["verdict"] for run in found["backends"] for result in run["results"] for each in result["comparisons"]
    }
    assert verdicts == {"OK", "VACUOUS"}


def test_a_missing_file_is_named(webbuild: Webbuild, bundle: Path, tmp_path: Path) -> None:
    copy = broken.copy(bundle, tmp_path)
    (copy / "runtime" / "worker.js").unlink()
    code, found = verify(webbuild, copy)
    assert code == 1
    assert found["backends"][0]["problems"]


@pytest.mark.parametrize("folder", ["", "nothing"])
def test_no_bundle_is_a_mistake_of_the_call(webbuild: Webbuild, tmp_path: Path, folder: str) -> None:
    done = webbuild("verify", tmp_path / folder)
    assert (done.returncode, done.stdout) == (2, "")
    assert "error[bundle-not-found]" in done.stderr
