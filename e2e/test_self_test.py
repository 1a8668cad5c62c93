"""The packed bundle tests itself on the available GPU; on a mismatch with its golden run it does not run there."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from e2e import broken
from e2e.conftest import Webbuild
from webbuild.browser.chromium import BrowserHandle
from webbuild.browser.server import Server

LOAD = """async (backend) => {
  const { load } = await import("./yolo-pose.js");
  const worker = () => new Worker("./hardware.js", { type: "module" });
  const attempts = [];
  for (const visit of [1, 2]) {
    try {
      const model = await load({ backend, worker });
      const { selfTest, graphCapture } = model.info();
      attempts.push({ backend: model.backend, warnings: model.warnings, selfTest, graphCapture });
      await model.dispose();
    } catch ({ code, message, fix }) { attempts.push({ code, message, fix }); }
  }
  return attempts;
}"""

HARDWARE = {
    "/hides.js": b"Object.defineProperty(GPUAdapterInfo.prototype, 'isFallbackAdapter', { get: () => false });",
    "/hardware.js": b"import './hides.js'; import './runtime/worker.js';",
}
"""Makes the worker treat the software adapter as hardware, on which a graph is captured."""


def load_twice(chromium: BrowserHandle, bundle: Path, backend: str) -> Any:
    virtual = {"/blank.html": ("text/html", b"<link rel=icon href=data:,>")}
    virtual |= {path: ("text/javascript", script) for path, script in HARDWARE.items()}
    with Server(bundle, virtual=virtual) as server, chromium.page() as (page, console):
        page.goto(f"{server.url}blank.html")
        attempts = page.evaluate(LOAD, backend)
        assert console.errors == []
    return attempts


def test_the_bundle_passes_once_and_is_believed_then(webgpu: BrowserHandle, bundle: Path) -> None:
    first, second = load_twice(webgpu, bundle, "auto")
    assert (first["backend"], first["warnings"], first["selfTest"]["fromCache"]) == ("webgpu", [], False)
    assert (second["backend"], second["warnings"], second["selfTest"]["fromCache"]) == ("webgpu", [], True)
    assert [visit["graphCapture"]["used"] for visit in (first, second)] == [True, True], first["graphCapture"]


@pytest.fixture(scope="module")
def lying(bundle: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bundle whose golden run has all people elsewhere."""
    copy = broken.copy(bundle, tmp_path_factory.mktemp("lying"))
    described = broken.manifest(copy)
    (path,) = described["golden"]["outputs"].values()
    rows = np.fromfile(copy / path, "<f4").reshape(-1, 57)
    rows[:, :4] += 40
    rows.tofile(copy / path)
    entry = next(file for file in described["files"] if file["path"] == path)
    entry["sha256"] = hashlib.sha256((copy / path).read_bytes()).hexdigest()
    broken.rewrite(copy, described)
    return copy


def test_one_that_disagrees_runs_on_wasm_and_says_why(webgpu: BrowserHandle, lying: Path) -> None:
    for visit in load_twice(webgpu, lying, "auto"):
        assert visit["backend"] == "wasm"
        (warning,) = visit["warnings"]
        assert warning["code"] == "self-test-failed"
        assert "are missing" in warning["message"]


def test_and_fails_where_webgpu_was_asked_for(webgpu: BrowserHandle, lying: Path) -> None:
    assert [visit["code"] for visit in load_twice(webgpu, lying, "webgpu")] == ["self-test-failed"] * 2


def test_verify_reports_what_every_visitor_would_meet_and_compares_all_the_same(
    webbuild: Webbuild, webgpu: BrowserHandle, lying: Path
) -> None:
    done = webbuild("verify", lying, "--json")
    assert done.returncode == 1
    runs = {run["backend"]: run for run in json.loads(done.stdout)["backends"]}
    (problem,) = runs["webgpu"]["problems"]
    assert (problem["code"], problem["where"]) == ("self-test-failed", "webgpu")
    assert runs["wasm"]["problems"] == []
    judged = [each for run in runs.values() for result in run["results"] for each in result["comparisons"]]
    assert {each["verdict"] for each in judged} == {"OK"}
