"""Tasks whose output is rows of detections: how two answers to one of them are compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from numpy.typing import NDArray

from webbuild.compare.arrays import ComparedOutput, Comparison
from webbuild.compare.tolerance import Tolerance
from webbuild.manifest.manifest import RowTask
from webbuild.tasks.base import RunContext, TaskKind
from webbuild.tasks.compare.detection_arrays import from_detections, from_rows
from webbuild.tasks.compare.detections import compare_detections, detection_tolerance_text, in_source_pixels
from webbuild.tasks.detection import Detection


class RowKind(TaskKind):
    """A task whose output [1, rows, columns] begins with a box, a score and a class in each row."""

    has_detections = True
    finds_anywhere = True
    noun = "detection"
    result_field = "detections"
    """Field of the runtime's result that holds the detections."""
    detection_type: type[Detection] = Detection

    def read_result(self, result: Mapping[str, Any]) -> Sequence[Detection]:
        """Return the detections."""
        return [msgspec.convert(each, self.detection_type) for each in result[self.result_field]]

    def needed_outputs(self, task: Any) -> Sequence[str]:
        """Return the rows."""
        return (task.output,)

    def tolerance_text(self, tolerance: Tolerance) -> str:
        """Return in words how far two equal predictions may lie apart."""
        return f"detections are matched by overlap, never by rank: {detection_tolerance_text(tolerance)}"

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
