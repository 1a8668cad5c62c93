"""Image segmentation: panoptic, instance and semantic, from masks and classes of queries or from one map per class.

The instance masks of a YOLO, which have boxes, are task `segment`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
import numpy as np

from webbuild.compare.comparison import ComparedOutput, Comparison
from webbuild.compare.tolerances import Tolerance
from webbuild.manifest.manifest import ImageSegmentationTask
from webbuild.model.signature import ModelSignature
from webbuild.runners.tensors import Tensors
from webbuild.tasks.base import TaskKind
from webbuild.tasks.decoding.detection import Detection
from webbuild.tasks.decoding.region_boxes import region_objects
from webbuild.tasks.decoding.regions import Region, Segmentation
from webbuild.tasks.decoding.segmentation_postprocess import (
    post_process_instance,
    post_process_panoptic,
    post_process_semantic,
)
from webbuild.tasks.metrics.compare_segmentation import compare_regions
from webbuild.tasks.recognition.mask2former import infer_mask2former, infer_semantic_segmentation
from webbuild.tasks.run_context import RunContext, SegmentationMode
from webbuild.tasks.task_match import TaskMatch
from webbuild.tasks.type_names import MASK_FUNCTIONS, TypeNames


class ImageSegmentationKind(TaskKind):
    """See `ImageSegmentationTask` for the decoding of the outputs."""

    spec = ImageSegmentationTask
    page_template = "regions"
    noun = "region"
    description = "Divides a picture into regions"
    required_signature = (
        "one picture, and maps [1, classes, h, w] or [1, h, w, classes], a mask [1, 1, h, w] or [1, h, w, "
        "1], the class of each pixel [1, h, w], or masks and classes of queries"
    )
    predicts_more = True
    has_detections = True

    def infer(self, signature: ModelSignature, *, requested: bool = False) -> TaskMatch | None:
        """Recognize outputs by transformers' names, `config.json`, or Ultralytics' metadata."""
        return infer_mask2former(signature, requested=requested) or infer_semantic_segmentation(
            signature, requested=requested
        )

    def needed_outputs(self, task: ImageSegmentationTask) -> Sequence[str]:
        """Return the masks, and the scores if there are any."""
        return (task.masks,) if task.scores is None else (task.masks, task.scores)

    def decode(self, task: ImageSegmentationTask, outputs: Tensors, context: RunContext) -> Sequence[Segmentation]:
        """Return the segmentation of the picture."""
        if (placement := context.placement) is None:
            return ()
        masks = outputs[task.masks][0]
        if task.scores is None:
            return [post_process_semantic(task, masks, None, placement)]
        scores = outputs[task.scores][0]
        match context.mode or task.mode:
            case "panoptic":
                return [post_process_panoptic(task, masks, scores, placement)]
            case "instance":
                return [post_process_instance(task, masks, scores, placement)]
            case "semantic":
                return [post_process_semantic(task, masks, scores, placement)]

    def compare(
        self,
        task: ImageSegmentationTask,
        subject: ComparedOutput,
        expected: Sequence[Segmentation],
        actual: Sequence[Segmentation],
        context: RunContext,
        tolerance: Tolerance,
    ) -> Sequence[Comparison]:
        """Compare the regions, their scores and their masks."""
        if not expected:
            return ()
        return compare_regions(subject, expected[0], next(iter(actual), None), task.threshold, tolerance)

    def read_result(self, result: Mapping[str, Any]) -> Sequence[Segmentation]:
        """Return the segmentation of the picture."""
        numbers = result["map"].reshape(result["height"], result["width"]).astype(np.uint16)
        return [Segmentation(numbers, msgspec.convert(result["regions"], tuple[Region, ...]))]

    def is_empty(self, prediction: Sequence[Segmentation]) -> bool:
        """Whether there is no region."""
        return not any(each.regions for each in prediction)

    def detections(self, prediction: Sequence[Segmentation]) -> Sequence[Detection]:
        """Return every region with a mask inside its box."""
        return [each for regions in prediction for each in region_objects(regions)]

    def fallback_mode(self, task: ImageSegmentationTask) -> SegmentationMode:
        """Return the mode that assigns a class to every pixel, even at low scores."""
        return "semantic"

    def tolerance_text(self, tolerance: Tolerance) -> str:
        """Return the tolerance of predictions in words."""
        masks = f"masks one pixel and {tolerance.region * 100:g} % of their union"
        return f"regions are matched by class and overlap: score {tolerance.score:g}, {masks}"

    def summary(self, task: ImageSegmentationTask, pictures: int) -> str:
        """Return what the model does."""
        things = ", and to which thing" if task.scores else ""
        return f"Says which of {len(task.classes)} classes each pixel of a picture belongs to{things}."

    def typescript(self, task: ImageSegmentationTask) -> TypeNames:
        """Return the names of the regions, of their classes and of the modes."""
        modes = ["semantic"] if task.scores is None else ["panoptic", "instance", "semantic"]
        about = "A thing, or all that there is of a class"
        return TypeNames(
            "regions", "Region", task.classes, "region can be", about, modes=modes, functions=MASK_FUNCTIONS
        )


TASK = ImageSegmentationKind()
