"""A new task: one file in the task folder, and a model of it packs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests import brightness_task
from tests.models import parsed, save

PROGRAM = """
import sys
import webbuild.tasks
webbuild.tasks.__path__.append(sys.argv.pop(1))
from webbuild.cli import main
main()
"""
READ = """
import sys
from pathlib import Path
import webbuild.tasks
webbuild.tasks.__path__.append(sys.argv[1])
from webbuild.manifest.manifest import decode
from webbuild.tasks.run_context import RunContext
from webbuild.tasks.registry import decode_task
import numpy as np
task = decode(Path(sys.argv[2]).read_bytes()).task
print(type(task).__name__, decode_task(task, {task.output: np.full((1, 2), 0.5)}, RunContext()))
"""


def run(program: str, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", program, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tasks")
    brightness_task.write(folder, brightness_task.PYTHON_FILE)
    return folder / "webbuild" / "tasks"


def test_a_model_of_a_new_task_packs(folder: Path, tmp_path: Path) -> None:
    model = save(parsed(brightness_task.MODEL), tmp_path / "lamp.onnx")
    out = tmp_path / "lamp"
    done = run(PROGRAM, folder, "pack", model, "--task", "brightness", "-o", out, "--no-verify")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "BrightnessResult" in (out / "lamp.d.ts").read_text("utf-8")
    assert '"BrightnessTask"' in (out / "manifest.schema.json").read_text("utf-8")
    assert (out / "index.html").is_file()
    read = run(READ, folder, out / "manifest.json")
    assert read.stdout == "BrightnessTask [0.5]\n", read.stderr


def test_help_names_a_new_task(folder: Path) -> None:
    assert "brightness" in run(PROGRAM, folder, "pack", "--help").stdout


def test_without_its_file_a_task_is_unknown(tmp_path: Path) -> None:
    done = run(
        PROGRAM, tmp_path, "pack", save(parsed(brightness_task.MODEL), tmp_path / "lamp.onnx"), "--task", "brightness"
    )
    assert done.returncode == 2
    assert "brightness" in done.stderr
