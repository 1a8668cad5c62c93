"""Adding a new task: one file in Python, one in TypeScript, one view and its cases, and nothing else."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from e2e.conftest import WEBBUILD, Open
from tests import brightness_task
from tests.colours import paint
from tests.models import parsed, save
from webbuild.browser.chromium import BrowserHandle
from webbuild.browser.server import Server

ROOT = Path(__file__).parents[1]
SCHEMA = "import json; from webbuild.manifest.manifest import json_schema; print(json.dumps(json_schema(), indent=2))"


def run(folder: Path, *command: object) -> subprocess.CompletedProcess[str]:
    """Run a command with the package in `folder` before the installed one on the path."""
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    words = list(map(str, command))
    done = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, timeout=900, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a built copy of the program with the files of a new task."""
    folder = tmp_path_factory.mktemp("program")
    shutil.copytree(ROOT / "webbuild", folder / "webbuild", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("web", "conformance"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("test"))
    for name in ("package.json", "tsconfig.json"):
        shutil.copy(ROOT / name, folder)
    (folder / "node_modules").symlink_to(ROOT / "node_modules")
    brightness_task.write(folder)
    schema = run(folder, sys.executable, "-c", SCHEMA).stdout
    (folder / "webbuild" / "manifest" / "manifest.schema.json").write_text(schema, "utf-8")
    run(folder, "node", "web/build/build.mjs", "types", "runtime", "page")
    return folder


def test_a_model_of_a_new_task_is_packed_compared_and_shown(
    program: Path, tmp_path: Path, webgpu: BrowserHandle, open_page: Open
) -> None:
    assert not any((ROOT / path).exists() for path in brightness_task.FILES), "a task that there is"
    paint(tmp_path / "samples")
    model, out = save(parsed(brightness_task.MODEL), tmp_path / "lamp.onnx"), tmp_path / "lamp"
    done = run(program, *WEBBUILD, "pack", model, "--task", "brightness", "-o", out, "--json")
    runs = json.loads(done.stdout)["verify"]["backends"]
    assert {each["backend"] for each in runs} == {"webgpu", "wasm"}
    for each in runs:
        compared = [comparison for result in each["results"] for comparison in result["comparisons"]]
        means = [comparison for comparison in compared if comparison["subject"]["quantity"] == "brightness"]
        assert len(means) == 3
        assert {(mean["verdict"], mean["subject"]["stage"]) for mean in means} == {("OK", "decoded")}
        assert all(mean["signal"] > 0.1 for mean in means)
    with Server(out) as server:
        page = open_page(webgpu.browser, server.url)
        page.page.wait_for_function("() => document.body.dataset.brightness !== undefined")
        shown = float(page.page.evaluate("document.body.dataset.brightness"))
    assert shown == pytest.approx(means[0]["signal"], abs=0.001), "of the first sample"
