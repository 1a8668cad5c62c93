"""Depth: the distance of each pixel, from one picture or from a focal stack."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from webbuild.compare.comparison import ComparedOutput, Comparison
from webbuild.compare.tolerances import Tolerance
from webbuild.manifest.manifest import DepthTask
from webbuild.model.signature import ModelSignature
from webbuild.runners.tensors import Tensors
from webbuild.tasks.base import TaskKind
from webbuild.tasks.decoding.depth_colormap import apply_colormap
from webbuild.tasks.decoding.depth_map import DepthMap, finite_range, resample_map
from webbuild.tasks.metrics.compare_depth import compare_decoded_depth, compare_depth
from webbuild.tasks.recognition.depth_from_focus import infer_depth_from_focus
from webbuild.tasks.recognition.monocular_depth import infer_monocular_depth
from webbuild.tasks.run_context import RunContext
from webbuild.tasks.task_match import TaskMatch
from webbuild.tasks.type_names import TypeNames

_SAME_MAP = 0.9
"""Correlation of the maps of two photographs above which they count as the same map."""
_PARTS = ("depth", "confidence")
"""The maps in a result of the runtime; the confidence is None if the model returns none."""


class DepthKind(TaskKind):
    """See `DepthTask` for the map."""

    spec = DepthTask
    page_template = "depth"
    makes_image = True
    image_caption = "near is bright"
    checks_answers = True
    description = "Says how far away things are"
    required_signature = (
        "one picture [1, 3, h, w] and one map [1, h, w] or [1, 1, h, w]; or a stack of pictures and their "
        "focus distances"
    )

    def infer(self, signature: ModelSignature, *, requested: bool = False) -> TaskMatch | None:
        """Recognize depth models by their outputs, or by the configuration next to them."""
        return infer_depth_from_focus(signature, requested=requested) or infer_monocular_depth(
            signature, requested=requested
        )

    def needed_outputs(self, task: DepthTask) -> Sequence[str]:
        """Return the map, and the confidence if there is one."""
        return (task.output,) if task.confidence is None else (task.output, task.confidence)

    def decode(self, task: DepthTask, outputs: Tensors, context: RunContext) -> Sequence[DepthMap]:
        """Return the map over the source picture."""
        if (placement := context.placement) is None:
            return ()
        depth = resample_map(outputs[task.output], placement)
        confidence = None if task.confidence is None else resample_map(outputs[task.confidence], placement)
        return [DepthMap(depth, confidence, *finite_range(depth))]

    def read_result(self, result: Mapping[str, Any]) -> Sequence[DepthMap]:
        """Return the map; [] if the caller requested only its colours."""
        size = result["height"], result["width"]
        depth, confidence = (None if (part := result[name]) is None else part.reshape(size) for name in _PARTS)
        return [] if depth is None else [DepthMap(depth, confidence, result["min"], result["max"])]

    def image(
        self, task: DepthTask, prediction: DepthMap, reference: DepthMap, pixels: NDArray[np.uint8] | None
    ) -> NDArray[np.uint8]:
        """Return the map in colours, from far to near; the range is the task's, else the map's."""
        low, high = reference.minimum, reference.maximum
        if task.near is not None and task.far is not None and task.near < task.far:
            low, high = task.near, task.far
        return apply_colormap(prediction.depth, *((high, low) if task.quantity == "depth" else (low, high)))

    def tolerance_text(self, tolerance: Tolerance) -> str:
        """Return the tolerance of predictions in words."""
        worst = f"{tolerance.depth * tolerance.depth_worst:g} at any pixel"
        return f"an absolute relative error of {tolerance.depth:g} on average, {worst}; no scale is fitted"

    def summary(self, task: DepthTask, pictures: int) -> str:
        """Return what the model does."""
        source = "one picture" if pictures == 1 else f"{pictures} pictures, each focused at another distance"
        return f"Says how far away things are, from {source}."

    def typescript(self, task: DepthTask) -> TypeNames:
        """Return the name of the map; the caller selects its parts."""
        return TypeNames(
            "depth",
            selectable_outputs=True,
            confidence_alpha=task.confidence is not None,
            functions=("depthAt",),
        )

    def answer_warnings(self, task: DepthTask, answers: Sequence[Tensors]) -> Sequence[str]:
        """Warn if the maps of different photographs are nearly the same."""
        first, second = (np.asarray(each[task.output], np.float64).ravel() for each in answers[:2])
        if first.size != second.size or not (first.std() > 0 and second.std() > 0):
            return ()
        correlation = float(np.corrcoef(first, second)[0, 1])
        if not correlation > _SAME_MAP:
            return ()
        warning = (
            f"depth hardly depends on the picture: the maps of two unlike photographs correlate by {correlation:.2f}. "
            "The preprocessing may be wrong: see --scale, --mean and --std"
        )
        return (warning,)

    def describe_constant_output(self, task: DepthTask, name: str, array: NDArray[Any]) -> str:
        """Return "": a constant map may be right, as for a wall."""
        return ""

    def compare_output(
        self,
        task: DepthTask,
        subject: ComparedOutput,
        expected: NDArray[Any],
        actual: NDArray[Any],
        context: RunContext,
        tolerance: Tolerance,
    ) -> Sequence[Comparison] | None:
        """Compare the maps by their absolute relative error."""
        return [compare_depth(subject, expected, actual, tolerance)] if subject.output == task.output else None

    def compare(
        self,
        task: DepthTask,
        subject: ComparedOutput,
        expected: Sequence[DepthMap],
        actual: Sequence[DepthMap],
        context: RunContext,
        tolerance: Tolerance,
    ) -> Sequence[Comparison]:
        """Compare the maps over the source picture."""
        if not expected:
            return ()
        return compare_decoded_depth(subject, expected[0], next(iter(actual), None), tolerance)


TASK = DepthKind()
