"""Tasks with rows of detections as output: reading and comparison."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from webbuild.compare.comparison import ComparedOutput, Comparison
from webbuild.compare.tolerances import Tolerance
from webbuild.manifest.manifest import RowTask
from webbuild.runners.tensors import Tensors
from webbuild.tasks.base import TaskKind
from webbuild.tasks.decoding.detection import Detection
from webbuild.tasks.metrics.compare_detections import compare_detections, detection_tolerance_text, in_source_pixels
from webbuild.tasks.metrics.detection_arrays import from_detections, from_rows
from webbuild.tasks.run_context import RunContext


class RowKind(TaskKind):
    """A task with an output [1, rows, columns]; each row begins with a box, a score and a class."""

    has_detections = True
    finds_anywhere = True
    noun = "detection"
    result_field = "detections"
    """Field of the runtime's result with the detections."""
    detection_type: type[Detection] = Detection

    def read_result(self, result: Mapping[str, Any]) -> Sequence[Detection]:
        """Return the detections."""
        return [msgspec.convert(each, self.detection_type) for each in result[self.result_field]]

    def needed_outputs(self, task: Any) -> Sequence[str]:
        """Return the rows."""
        return (task.output,)

    def candidate_scores(self, task: Any, outputs: Tensors) -> NDArray[Any]:
        """Return the scores of the rows [rows], best first."""
        scores: NDArray[Any] = np.sort(outputs[task.output][0, :, 4])[::-1]
        return scores

    def describe_constant_output(self, task: Any, name: str, array: NDArray[Any]) -> str:
        """Return a description if all detections are degenerate; an output without detections is valid."""
        if name != task.output:
            return super().describe_constant_output(task, name, array)
        rows = array.reshape(-1, array.shape[-1])
        rows = rows[rows[:, 4] > 0]
        if len(rows) and (self.box_sides(rows) <= 0).any(axis=1).all():
            return f"{name}: no box that was found has an area"
        same = len(rows) > 1 and bool((rows == rows[0]).all())
        return f"{name}: all {len(rows)} detections are the same" if same else ""

    def box_sides(self, rows: NDArray[Any]) -> NDArray[Any]:
        """Return width and height [n, 2] of the boxes in rows [n, columns]."""
        return np.asarray(rows[:, 2:4] - rows[:, :2])

    def tolerance_text(self, tolerance: Tolerance) -> str:
        """Return the tolerance of detections as text."""
        return detection_tolerance_text(tolerance, masks=self.predicts_more)

    def compare_output(
        self,
        task: RowTask,
        subject: ComparedOutput,
        expected: NDArray[Any],
        actual: NDArray[Any],
        context: RunContext,
        tolerance: Tolerance,
    ) -> Sequence[Comparison] | None:
        """Compare rows as detections, in pixels of the input."""
        if subject.output != task.output:
            return None
        sides = from_rows(task, expected[0]), from_rows(task, actual[0])
        return compare_detections(subject, *sides, context.thresholds, tolerance)

    def compare(
        self,
        task: RowTask,
        subject: ComparedOutput,
        expected: Sequence[Detection],
        actual: Sequence[Detection],
        context: RunContext,
        tolerance: Tolerance,
    ) -> Sequence[Comparison]:
        """Compare detections in pixels of the source."""
        sides = from_detections(task, expected), from_detections(task, actual)
        return compare_detections(subject, *sides, context.thresholds, in_source_pixels(tolerance, context))
