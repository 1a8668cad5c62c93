"""`python -m benchmarks.gpu`, tested at a tiny size: on Dawn in Node, with the tests' software adapter."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks.gpu import __main__ as measuring
from benchmarks.gpu import archive, prepare, render
from benchmarks.gpu.jobs import RunCounts, suppression_jobs
from benchmarks.gpu.random_weights import noise
from benchmarks.gpu.rows import result_row
from tests.exports import write

COUNTS = RunCounts(runs=3, warming=1, limit=2000.0)
EXPORTS = "ultralytics-8.4.190-torchscript"


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Return the command's output for an archive with one job of each kind and a model whose file is missing."""
    folder = tmp_path_factory.mktemp("gpu")
    tiny, other = (write(f"{EXPORTS}/{name}", folder) for name in ("pose-nms", "detect-raw"))
    carried, out = folder / "gpu.tar.xz", folder / "gpu.json"
    prepare.write_archive(
        carried, folder / "bundles", {"yolo-pose": tiny}, [other], COUNTS, bare=True, precision="fp32"
    )
    plan = archive.unpack(carried, folder / "carried")
    broken = next(entry for entry in plan["jobs"] if entry["job"]["kind"] == "model")
    case = {**broken["job"]["case"], "model": "files/missing"}
    plan["jobs"].append({"about": {**broken["about"], "model": "broken"}, "job": {**broken["job"], "case": case}})
    (folder / "carried" / archive.PLAN).write_text(json.dumps(plan), "utf-8")
    archive.pack(folder / "carried", carried, preset=0)
    call = [sys.executable, "-S", "-m", "benchmarks.gpu", str(out), "--archive", str(carried), "--job-seconds", "240"]
    ended = subprocess.run(call, check=False, cwd=prepare.ROOT, capture_output=True, text=True)
    assert ended.returncode == 1, ended.stderr
    found: dict[str, Any] = json.loads(out.read_text("utf-8"))
    return found


def test_what_runs_rightly_is_right(result: dict[str, Any]) -> None:
    rows = [row for row in result["rows"] if row["model"] != "broken"]
    assert {row["status"] for row in rows} == {"right"}, result["rows"]


def test_every_kind_of_job_is_run(result: dict[str, Any]) -> None:
    done = {(row["model"], row["weights"], row["what"]) for row in result["rows"]}
    heavy = "detect-raw, random weights"
    assert done >= {
        ("8400 random boxes", "-", "suppression in the runtime's shader"),
        ("8400 random boxes", "-", "suppression on the CPU"),
        ("yolo-pose", "-", "input of a 1080p frame by the CPU, uploaded"),
        ("yolo-pose", "-", "input of a 1080p frame by a shader, from a texture"),
        *(("yolo-pose", weights, "run, suppression in the runtime's shader") for weights in ("fp32", "int8")),
        *(("yolo-pose", weights, "run, suppression on the CPU") for weights in ("fp32", "int8")),
        ("yolo-pose", "fp32", "run, captured, suppression in the runtime's shader"),
        ("yolo-pose", "fp32", "run, suppression in the graph"),
        *((heavy, "fp32", what) for what in ("run", "run, captured")),
    }, done


def test_a_failure_is_a_row(result: dict[str, Any]) -> None:
    row = next(row for row in result["rows"] if row["model"] == "broken")
    assert row["status"] == "error"
    assert "no such file" in row["message"]


def test_a_row_says_how_long_runs_took_and_its_kernels(result: dict[str, Any]) -> None:
    row = result["rows"][0]
    assert row["runs"] == COUNTS.runs
    assert 0 < row["q1"] <= row["median"] <= row["q3"]
    assert row["kernels"] == 3


def test_a_software_adapter_is_said_to_be_one(result: dict[str, Any]) -> None:
    assert result["software"] is True
    assert render.SOFTWARE in render.render_text(result)
    assert render.SOFTWARE not in render.render_text({**result, "software": False})


@pytest.mark.parametrize(("device", "seconds"), [("llvmpipe", 540.0), ("Tesla", 90.0)])
def test_a_software_adapter_has_longer_to_compile(
    device: str, seconds: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    allowed: list[float] = []

    def run_job(_folder: Path, job: dict[str, Any], limit: float) -> dict[str, Any]:
        allowed.append(limit)
        return {"adapter": {"adapter": {"device": device}}, "error": job["kind"]}

    monkeypatch.setattr(measuring, "run_job", run_job)
    monkeypatch.setattr(measuring, "node_version", lambda _: "20")
    plan = {"prepared": {}, "jobs": suppression_jobs(COUNTS)[:1]}
    measuring.measure(tmp_path, plan, 10_000, tmp_path / "gpu.json")
    assert allowed == [90.0, seconds]


def test_a_wrong_answer_is_a_row_marked_wrong() -> None:
    measured = {"times": [1.0, 2.0], "kernels": 1, "difference": "y differs"}
    row = result_row({"model": "tiny"}, {"measured": measured})
    assert (row["status"], row["message"]) == ("wrong", "y differs")


def test_random_weights_are_the_same_in_both_languages(tmp_path: Path) -> None:
    builder = str(prepare.NODE_SIDE / "build.mjs")
    subprocess.run(["node", builder, str(tmp_path), "random-weights"], check=True, cwd=prepare.ROOT)
    tensors = [
        {"offset": 0, "count": 5000, "dtype": "float32", "step": 2.0**-9, "seed": 4294967290},
        {"offset": 20000, "count": 5000, "dtype": "float16", "step": 2.0**-14, "seed": 7},
    ]
    script = (
        'import { fillTensors } from "./random-weights.js"; import { writeFileSync } from "node:fs";'
        f"const data = new Uint8Array(30000); fillTensors(data, {json.dumps(tensors)}); writeFileSync('out', data);"
    )
    (tmp_path / "package.json").write_text('{"type": "module"}', "utf-8")
    (tmp_path / "fill.js").write_text(script, "utf-8")
    subprocess.run(["node", "fill.js"], check=True, cwd=tmp_path)
    data = (tmp_path / "out").read_bytes()
    whole, half = (noise(each["count"], each["seed"], each["step"]) for each in tensors)  # type: ignore[arg-type]
    assert np.array_equal(np.frombuffer(data[:20000], "<f4"), whole)
    assert np.array_equal(np.frombuffer(data[20000:], "<f2"), half)


def test_an_archive_above_the_limit_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "carried"
    folder.mkdir()
    (folder / "noise").write_bytes(np.random.default_rng(0).bytes(100_000))
    with pytest.raises(ValueError, match="are allowed"):
        archive.pack(folder, tmp_path / "a.tar.xz", limit=50_000)
    assert not (tmp_path / "a.tar.xz").exists()
