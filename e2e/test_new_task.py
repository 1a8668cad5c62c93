"""A task that nobody has heard of: one file in Python, one in TypeScript, one view and its cases, and nothing else."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from e2e.conftest import WEBBUILD, Open
from tests.colours import paint
from tests.models import HEADER, parsed, save
from webbuild.browser.chromium import Chromium
from webbuild.browser.server import Server

ROOT = Path(__file__).parents[1]
MEANS = f"{HEADER} lamp (float[1,3,6,5] x) => (float[1,3,1,1] y) {{ y = GlobalAveragePool (x) }}"
FILES = {
    ("webbuild/tasks", "brightness.py"): '''
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from webbuild.compare.arrays import ComparedOutput, Comparison, compare_arrays
from webbuild.compare.tolerance import Tolerance
from webbuild.manifest.tasks import Task
from webbuild.model.signature import ModelSignature
from webbuild.tasks.base import RunContext, TaskKind, TaskMatch, Tensors
from webbuild.tasks.ultralytics_export import fixed_image_input


class BrightnessTask(Task, tag="brightness", kw_only=True, frozen=True):
    """How bright a picture is: the mean of `output`."""

    output: str


class BrightnessKind(TaskKind):
    """See `BrightnessTask`."""

    spec = BrightnessTask
    description = "Says how bright a picture is"

    def infer(self, signature: ModelSignature, *, requested: bool = False) -> TaskMatch | None:
        image = fixed_image_input(signature.inputs[0])
        if image is None or not requested:
            return None
        return TaskMatch(BrightnessTask(output=signature.outputs[0].name), (image,), ("the output is brightness",))

    def needed_outputs(self, task: BrightnessTask) -> Sequence[str]:
        return (task.output,)

    def decode(self, task: BrightnessTask, outputs: Tensors, context: RunContext) -> Sequence[float]:
        return [float(outputs[task.output].mean())]

    def read_result(self, result: Mapping[str, Any]) -> Sequence[float]:
        return [result["mean"]]

    def compare(
        self,
        task: BrightnessTask,
        subject: ComparedOutput,
        expected: Sequence[float],
        actual: Sequence[float],
        context: RunContext,
        tolerance: Tolerance,
    ) -> Sequence[Comparison]:
        about = subject.with_quantity("brightness")
        return [compare_arrays(about, np.array(expected), np.array(actual), tolerance=tolerance.score)]


TASK = BrightnessKind()
''',
    ("web/src/tasks/brightness", "task.ts"): """
import { readFloats } from "../read-output.js";
import type { TaskFields, TaskModule, TaskSpec } from "../task-module.js";

interface BrightnessTask extends TaskSpec { kind: "brightness"; output: string }
interface Brightness extends TaskFields { kind: "brightness"; mean: number }

export const task: TaskModule<BrightnessTask, Brightness> = {
  kind: "brightness",
  neededOutputs: ({ task: { output } }) => [output],
  decode({ task }, outputs, { source }) {
    const values = readFloats(outputs, task.output, [1, 3, 1, 1]);
    return { kind: "brightness", ...source, mean: values.reduce((sum, value) => sum + value, 0) / values.length };
  },
};
""",
    ("web/page/views", "brightness.ts"): """
import type { Model, Result } from "../../src/index.js";
import type { ThresholdSliders } from "../input/threshold-sliders.js";
import { BaseView } from "./base-view.js";
import type { ViewModule } from "./task-view.js";

class BrightnessView extends BaseView {
  showResult(result: Result, _model: Model, _thresholds: ThresholdSliders, due = true): void {
    const { mean } = result as unknown as { mean: number };
    this.showRun(result, due);
    document.body.dataset["brightness"] = mean.toFixed(3);
  }
  protected override empty(): void {}
  clear(): void {}
  override setQuiet(): void {}
}

export const view: ViewModule = { kind: "brightness", create: () => new BrightnessView() };
""",
    ("conformance/brightness", "grey.json"): '{"outputs": [0.25, 0.5, 0.75], "brightness": 0.5}',
}
SCHEMA = "import json; from webbuild.manifest.manifest import json_schema; print(json.dumps(json_schema(), indent=2))"


def run(folder: Path, *command: object) -> subprocess.CompletedProcess[str]:
    """Run a command with the package of `folder` in front of the installed one."""
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    words = list(map(str, command))
    done = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, timeout=900, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the program with the files of a task, built."""
    folder = tmp_path_factory.mktemp("program")
    shutil.copytree(ROOT / "webbuild", folder / "webbuild", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("web", "conformance"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("test"))
    for name in ("package.json", "tsconfig.json"):
        shutil.copy(ROOT / name, folder)
    (folder / "node_modules").symlink_to(ROOT / "node_modules")
    for (room, name), text in FILES.items():
        (folder / room).mkdir(parents=True, exist_ok=True)
        (folder / room / name).write_text(text, "utf-8")
    schema = run(folder, sys.executable, "-c", SCHEMA).stdout
    (folder / "webbuild" / "manifest" / "manifest.schema.json").write_text(schema, "utf-8")
    run(folder, "node", "web/build/build.mjs", "types", "runtime", "page")
    return folder


def test_a_model_of_a_new_task_is_packed_compared_and_shown(
    program: Path, tmp_path: Path, webgpu: Chromium, open_page: Open
) -> None:
    assert not any((ROOT / room / name).exists() for room, name in FILES), "a task that there is"
    paint(tmp_path / "samples")
    model, out = save(parsed(MEANS), tmp_path / "lamp.onnx"), tmp_path / "lamp"
    done = run(program, *WEBBUILD, "pack", model, "--task", "brightness", "-o", out, "--json")
    runs = json.loads(done.stdout)["verify"]["backends"]
    assert {each["backend"] for each in runs} == {"webgpu", "wasm"}
    for each in runs:
        compared = [comparison for case in each["cases"] for comparison in case["comparisons"]]
        means = [comparison for comparison in compared if comparison["subject"]["quantity"] == "brightness"]
        assert len(means) == 3
        assert {(mean["verdict"], mean["subject"]["stage"]) for mean in means} == {("OK", "decoded")}
        assert all(mean["signal"] > 0.1 for mean in means)
    with Server(out) as server:
        page = open_page(webgpu.browser, server.url)
        page.page.wait_for_function("() => document.body.dataset.brightness !== undefined")
        shown = float(page.page.evaluate("document.body.dataset.brightness"))
    assert shown == pytest.approx(means[0]["signal"], abs=0.001), "of the first sample"
