"""Keypoints: the positions of keypoints in a crop, such as of a person, a face or a hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from webbuild.compare.tolerances import Tolerance
from webbuild.manifest.manifest import KeypointsTask
from webbuild.model.signature import ModelSignature
from webbuild.preprocess.crop_box import Crop, pixel_size
from webbuild.runners.tensors import Tensors
from webbuild.tasks.decoding.crop_detection import CropDetection
from webbuild.tasks.decoding.detection import CropKeypoint
from webbuild.tasks.decoding.keypoint_heads import InputKeypoints, decode_keypoints, head_outputs
from webbuild.tasks.kind.crop_kind import CropKind, detection_fields
from webbuild.tasks.recognition.keypoint_families import infer_keypoints, with_measured_range
from webbuild.tasks.run_context import RunContext
from webbuild.tasks.task_match import TaskMatch
from webbuild.tasks.type_names import OBJECT_FUNCTIONS, TypeNames


class KeypointsKind(CropKind):
    """See `KeypointsTask` for the result, and its heads for the outputs."""

    spec = KeypointsTask
    crop_attribute = "keypoints"
    replaces_earlier = True
    result_field = "poses"
    description = "Finds the keypoints of one person or face"
    required_signature = (
        "one picture, and scores along its width and height (SimCC), a heat map for each keypoint, or numbers x and y "
        "for each"
    )

    def infer(self, signature: ModelSignature, *, requested: bool = False) -> TaskMatch | None:
        """Recognize RTMPose, ViTPose and heat maps by names and shapes, other models by shapes if requested."""
        return infer_keypoints(signature, requested=requested)

    def is_named(self, signature: ModelSignature) -> bool:
        """Whether outputs are named SimCC vectors: small ones have the shapes of a detector's rows."""
        return any("simcc" in each.name.lower() for each in signature.outputs)

    def needed_outputs(self, task: KeypointsTask) -> Sequence[str]:
        """Return the outputs of the head."""
        return head_outputs(task)

    def decode(self, task: KeypointsTask, outputs: Tensors, context: RunContext) -> Sequence[CropDetection]:
        """Return the object of each crop with its keypoints, in the order of the crops."""
        placement = context.placement
        if placement is None or not placement.crops:
            return ()
        keypoints = decode_keypoints(task, outputs, placement.input_width, placement.input_height)
        return [_to_detection(task, crop, keypoints, index) for index, crop in enumerate(placement.crops)]

    def tolerance_text(self, tolerance: Tolerance) -> str:
        """Return the tolerance of predictions in words."""
        return f"keypoints {tolerance.pixels:g} px of the model's input, more where neighbouring cells score as much"

    def summary(self, task: KeypointsTask, pictures: int) -> str:
        """Return what the model does."""
        return f"Finds {len(task.keypoints)} keypoints of what a crop shows: {task.classes[0]}."

    def summary_behind_detector(self, task: KeypointsTask) -> str:
        """Return what an earlier stage and this stage do together."""
        subject = task.classes[0]
        several = "people" if subject == "person" else f"{subject}s"
        return f"Finds {several} and their {len(task.keypoints)} keypoints, each {subject} looked at in a crop."

    def typescript(self, task: KeypointsTask) -> TypeNames:
        """Return the names of the classes and keypoints."""
        keypoints = [keypoint.name for keypoint in task.keypoints]
        return TypeNames(
            self.result_field,
            "Pose",
            task.classes,
            keypoints=keypoints,
            functions=OBJECT_FUNCTIONS,
            result="PoseResult",
            crop_attribute=self.crop_attribute,
        )

    def cropped_classes(self, task: KeypointsTask) -> Sequence[str]:
        """Return the classes that have these keypoints."""
        return task.classes

    def with_values(self, match: TaskMatch, values: Sequence[NDArray[Any]]) -> TaskMatch:
        """Return the match with the coordinate range measured on photographs: normalized, or pixels of the crop."""
        finite = np.concatenate([each.ravel() for each in values])
        return with_measured_range(match, finite) if np.isfinite(finite).all() else match

    def skeleton(self, task: KeypointsTask) -> Sequence[Sequence[int]]:
        """Return the limbs."""
        return task.skeleton


def _to_detection(task: KeypointsTask, crop: Crop, decoded: InputKeypoints, index: int) -> CropDetection:
    x, y = crop.to_picture.apply(decoded.points[index, :, 0], decoded.points[index, :, 1])
    numbers = zip(task.keypoints, x, y, decoded.confidence[index], decoded.margins[index], strict=True)
    pixel = pixel_size(crop)
    keypoints = tuple(
        CropKeypoint(
            keypoint.name, float(left), float(top), float(confidence), tuple(map(float, margins)), decoded.step, pixel
        )
        for keypoint, left, top, confidence, margins in numbers
    )
    return CropDetection(**{**detection_fields(crop, task.classes[0]), "keypoints": keypoints})


TASK = KeypointsKind()
