"""Recognize Ultralytics' exports of each task, with assumptions about what the metadata lacks."""

from __future__ import annotations

from webbuild.manifest.manifest import DetectTask, Keypoint, ObbTask, PoseTask, SegmentTask
from webbuild.model.signature import ModelSignature
from webbuild.tasks.recognition import coco_keypoints
from webbuild.tasks.recognition.class_names import count_classes
from webbuild.tasks.recognition.keypoint_sets import named_keypoints
from webbuild.tasks.recognition.metadata import keypoint_names, keypoint_shape
from webbuild.tasks.recognition.ultralytics_export import read_export
from webbuild.tasks.task_match import TaskMatch


def infer_detect(signature: ModelSignature) -> TaskMatch | None:
    """Return the match of a detection export, None for other models."""
    form = read_export(signature, "detect", extra=0)
    if form is None:
        return None
    assumption = f"task detect with {count_classes(len(form.class_names))}, from the exporter's metadata"
    task = DetectTask(output=form.output, rows=form.rows, classes=form.class_names)
    return TaskMatch(task, (form.image,), (assumption, form.preprocessing, *form.assumptions), form.postprocess)


def infer_pose(signature: ModelSignature) -> TaskMatch | None:
    """Return the match of a pose export, None for other models."""
    keypoints, size = keypoint_shape(signature)
    form = read_export(signature, "pose", extra=keypoints * size)
    if form is None or not keypoints:
        return None
    classes = count_classes(len(form.class_names))
    assumption = f"task pose with {classes} and {keypoints} keypoints, from the exporter's metadata"
    named, skeleton, keypoint_note = _name_keypoints(keypoint_names(signature), keypoints)
    task = PoseTask(
        output=form.output,
        rows=form.rows,
        classes=form.class_names,
        keypoints=named,
        keypoint_size=3 if size == 3 else 2,
        skeleton=skeleton,
    )
    assumptions = (assumption, form.preprocessing, keypoint_note, *form.assumptions)
    return TaskMatch(task, (form.image,), assumptions, form.postprocess)


def _name_keypoints(names: list[str], count: int) -> tuple[list[Keypoint], list[list[int]], str]:
    """Return the keypoints, their skeleton, and the assumption about both."""
    coco = coco_keypoints.KEYPOINTS
    if len(names) == count and names != [each.name for each in coco]:
        note = f"the names of the {count} keypoints are those in the metadata; drawn as points"
        return named_keypoints(names), [], note
    if count == len(coco):
        return coco, coco_keypoints.SKELETON, "17 keypoints are assumed to be COCO's, with its names and skeleton"
    named = [Keypoint(name=f"keypoint {i}", side="middle") for i in range(count)]
    return named, [], f"the {count} keypoints have no names or skeleton in the metadata; drawn as points"


def infer_segment(signature: ModelSignature) -> TaskMatch | None:
    """Return the match of a segmentation export, None for other models.

    Its outputs are rows, then the prototypes of their masks.
    """
    match [fact.shape for fact in signature.outputs]:
        case [_, (1, int(masks), int(), int())]:
            form = read_export(signature, "segment", extra=masks, outputs=2)
        case _:
            return None
    if form is None:
        return None
    classes = count_classes(len(form.class_names))
    assumption = f"task segment with {classes} and {masks} mask prototypes, from the exporter's metadata"
    protos = signature.outputs[1].name
    task = SegmentTask(
        output=form.output, protos=protos, rows=form.rows, classes=form.class_names, mask_coefficients=masks
    )
    return TaskMatch(task, (form.image,), (assumption, form.preprocessing, *form.assumptions), form.postprocess)


def infer_obb(signature: ModelSignature) -> TaskMatch | None:
    """Return the match of an export with rotated boxes, None for other models."""
    form = read_export(signature, "obb", extra=1, rotated=True)
    if form is None:
        return None
    assumption = f"task obb with {count_classes(len(form.class_names))}, from the exporter's metadata"
    task = ObbTask(output=form.output, rows=form.rows, classes=form.class_names)
    return TaskMatch(task, (form.image,), (assumption, form.preprocessing, *form.assumptions), form.postprocess)
