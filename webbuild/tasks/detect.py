"""Detect: objects and their boxes."""

from __future__ import annotations

from collections.abc import Sequence

from webbuild.manifest.manifest import DetectTask
from webbuild.model.signature import ModelSignature
from webbuild.runners.tensors import Tensors
from webbuild.tasks.decoding.detection import Detection, count_classes, decode_box
from webbuild.tasks.kind.row_kind import RowKind
from webbuild.tasks.recognition import ultralytics
from webbuild.tasks.recognition.anchor_detectors import infer_anchor_detector
from webbuild.tasks.recognition.detr import infer_detr
from webbuild.tasks.recognition.grid_detectors import infer_grid_detector
from webbuild.tasks.recognition.yolo import infer_yolo
from webbuild.tasks.run_context import RunContext
from webbuild.tasks.task_match import TaskMatch
from webbuild.tasks.type_names import MERGES, OBJECT_FUNCTIONS, TypeNames


class DetectKind(RowKind):
    """See `DetectTask` for the layout of a row."""

    spec = DetectTask
    page_template = "detections"
    description = "Finds things, with boxes around them"
    required_signature = (
        "one picture, and rows [1, anchors, 5 + classes] or [1, 4 + classes, anchors] of a YOLO, scores and "
        "boxes of anchors apart, grids of cells, or logits and boxes of a DETR"
    )

    def infer(self, signature: ModelSignature, *, requested: bool = False) -> TaskMatch | None:
        """Recognize Ultralytics' detection exports by their metadata, other models by their signature."""
        known = ultralytics.infer_detect(signature) or infer_yolo(signature, requested=requested)
        known = known or infer_anchor_detector(signature, requested=requested)
        known = known or infer_grid_detector(signature, requested=requested)
        return known or infer_detr(signature, requested=requested)

    def decode(self, task: DetectTask, outputs: Tensors, context: RunContext) -> Sequence[Detection]:
        """Return the objects in `task.output` [1, rows, 6], best first."""
        if context.placement is None:
            return ()
        rows = outputs[task.output][0]
        return [Detection(*decode_box(task, row, context.placement)) for row in rows[rows[:, 4] > 0]]

    def summary(self, task: DetectTask, pictures: int) -> str:
        """Return what the model does."""
        return f"Finds {count_classes(task.classes)}."

    def typescript(self, task: DetectTask) -> TypeNames:
        """Return the names of the objects and of their classes."""
        return TypeNames("detections", "Detection", task.classes, functions=OBJECT_FUNCTIONS, merges=MERGES)


TASK = DetectKind()
