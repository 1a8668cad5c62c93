"""The files of a task that webbuild does not have: the brightness of an image."""

from __future__ import annotations

from pathlib import Path

from tests.models import HEADER

MODEL = f"{HEADER} lamp (float[1,3,6,5] x) => (float[1,3,1,1] levels) {{ levels = GlobalAveragePool (x) }}"
PYTHON = '''
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from webbuild.compare.arrays import compare_arrays
from webbuild.compare.comparison import ComparedOutput, Comparison
from webbuild.compare.tolerances import Tolerance
from webbuild.manifest.tasks.task import Task
from webbuild.model.signature import ModelSignature
from webbuild.runners.tensors import Tensors
from webbuild.tasks.base import TaskKind
from webbuild.tasks.run_context import RunContext
from webbuild.tasks.task_match import TaskMatch
from webbuild.tasks.type_names import TypeNames
from webbuild.tasks.recognition.image_input import fixed_image_input


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

    def typescript(self, task: BrightnessTask) -> TypeNames:
        return TypeNames("brightness")

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
'''
TYPESCRIPT = """
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
"""
VIEW = """
import type { Model, Result } from "../../src/index.js";
import type { ResultDrawing } from "../drawing/result-drawing.js";
import type { ThresholdSliders } from "../input/threshold-sliders.js";
import { BaseView } from "./base-view.js";
import type { ViewModule } from "./task-view.js";

class BrightnessView extends BaseView {
  showResult(result: Result, _model: Model, _thresholds: ThresholdSliders, updateText = true): void {
    const { mean } = result as unknown as { mean: number };
    this.showRun(result, updateText);
    document.body.dataset["brightness"] = mean.toFixed(3);
  }
  protected override showEmpty(): void {}
  clear(): void {}
  override setQuiet(): void {}
}

export const drawing: ResultDrawing = {
  kind: "brightness",
  async draw(_stage, result) {
    return `brightness ${(result as unknown as { mean: number }).mean.toFixed(3)}`;
  },
};
export const view: ViewModule = { kind: "brightness", create: () => new BrightnessView() };
"""
PYTHON_FILE, TYPESCRIPT_FILE = "webbuild/tasks/brightness.py", "web/src/tasks/brightness/task.ts"
FILES = {
    PYTHON_FILE: PYTHON,
    TYPESCRIPT_FILE: TYPESCRIPT,
    "web/page/views/brightness.ts": VIEW,
    "conformance/brightness/grey.json": '{"outputs": [0.25, 0.5, 0.75], "brightness": 0.5}',
}


def write(folder: Path, *paths: str) -> None:
    """Write these files of the task to `folder`, all by default."""
    for path in paths or FILES:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(FILES[path], "utf-8")
