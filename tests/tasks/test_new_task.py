"""A new task: one file in the folder of tasks, and a model of it packs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.models import convolution, save

TASK = '''
from collections.abc import Mapping, Sequence
from typing import Any

from webbuild.manifest.manifest import TensorInput
from webbuild.manifest.tasks import Task
from webbuild.model.signature import ModelSignature
from webbuild.tasks.base import RunContext, TaskKind, TaskMatch, Tensors
from webbuild.tasks.type_names import TypeNames


class BrightnessTask(Task, tag="brightness", kw_only=True, frozen=True):
    """How bright a tensor is: the mean of `output`."""

    output: str


class BrightnessKind(TaskKind):
    """See `BrightnessTask`."""

    spec = BrightnessTask
    description = "Says how bright a picture is"

    def infer(self, signature: ModelSignature, *, requested: bool = False) -> TaskMatch | None:
        if not requested:
            return None
        (given,), (found,) = signature.inputs, signature.outputs
        taken = TensorInput(name=given.name, dtype="float32", shape=[int(size) for size in given.shape])
        return TaskMatch(BrightnessTask(output=found.name), (taken,), ("the output is brightness",))

    def needed_outputs(self, task: BrightnessTask) -> Sequence[str]:
        return (task.output,)

    def decode(self, task: BrightnessTask, outputs: Tensors, context: RunContext) -> Sequence[float]:
        return [float(outputs[task.output].mean())]

    def typescript(self, task: BrightnessTask) -> TypeNames:
        return TypeNames("brightness")


TASK = BrightnessKind()
'''
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
from webbuild.tasks.base import RunContext, decode_task
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
    (folder / "brightness.py").write_text(TASK, "utf-8")
    return folder


def test_a_model_of_a_new_task_packs(folder: Path, tmp_path: Path) -> None:
    model = save(convolution(), tmp_path / "lamp.onnx")
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
    done = run(PROGRAM, tmp_path, "pack", save(convolution(), tmp_path / "lamp.onnx"), "--task", "brightness")
    assert done.returncode == 2
    assert "brightness" in done.stderr
