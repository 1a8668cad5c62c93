"""Ultralytics' exports: what each task's output holds, and what the exporter leaves unsaid."""

from __future__ import annotations

from webbuild.facts import ModelFacts
from webbuild.manifest import DetectTask, Keypoint, ObbTask, PoseTask, SegmentTask
from webbuild.tasks import coco
from webbuild.tasks._base import Guess
from webbuild.tasks.export_form import read_form
from webbuild.tasks.metadata import keypoint_shape

_LETTERBOXED = "pictures are letterboxed with grey 114, RGB, scaled to 0..1: Ultralytics' own pre-processing"


def guess_detect(facts: ModelFacts) -> Guess | None:
    """Return the spec of a detection export, or None for anything else."""
    form = read_form(facts, "detect", extra=0)
    if form is None:
        return None
    said = f"task detect with {len(form.names)} class(es), from the exporter's metadata"
    task = DetectTask(output=form.output, rows=form.rows, classes=form.names)
    return Guess(task, (form.image,), (said, _LETTERBOXED, *form.assumptions), form.raw)


def guess_pose(facts: ModelFacts) -> Guess | None:
    """Return the spec of a pose export, or None for anything else."""
    keypoints, size = keypoint_shape(facts)
    form = read_form(facts, "pose", extra=keypoints * size)
    if form is None or not keypoints:
        return None
    said = f"task pose with {len(form.names)} class(es) and {keypoints} keypoints, from the exporter's metadata"
    if keypoints == len(coco.KEYPOINTS):
        named, skeleton = coco.KEYPOINTS, coco.SKELETON
        taken = "17 keypoints are taken for COCO's, with its names and skeleton"
    else:
        named, skeleton = [Keypoint(name=f"keypoint {i}", side="middle") for i in range(keypoints)], []
        taken = f"the {keypoints} keypoints have no names or skeleton in the metadata; drawn as points"
    task = PoseTask(
        output=form.output,
        rows=form.rows,
        classes=form.names,
        keypoints=named,
        keypoint_size=3 if size == 3 else 2,
        skeleton=skeleton,
    )
    return Guess(task, (form.image,), (said, _LETTERBOXED, taken, *form.assumptions), form.raw)


def guess_segment(facts: ModelFacts) -> Guess | None:
    """Return the spec of a segmentation export, or None for anything else.

    It gives rows first, then the prototypes of their masks.
    """
    match [fact.shape for fact in facts.outputs]:
        case [_, (1, int(masks), int(), int())]:
            form = read_form(facts, "segment", extra=masks, outputs=2)
        case _:
            return None
    if form is None:
        return None
    said = f"task segment with {len(form.names)} class(es) and {masks} mask prototypes, from the exporter's metadata"
    protos = facts.outputs[1].name
    task = SegmentTask(output=form.output, protos=protos, rows=form.rows, classes=form.names, masks=masks)
    return Guess(task, (form.image,), (said, _LETTERBOXED, *form.assumptions), form.raw)


def guess_obb(facts: ModelFacts) -> Guess | None:
    """Return the spec of an export of rotated boxes, or None for anything else."""
    form = read_form(facts, "obb", extra=1, rotated=True)
    if form is None:
        return None
    said = f"task obb with {len(form.names)} class(es), from the exporter's metadata"
    task = ObbTask(output=form.output, rows=form.rows, classes=form.names)
    return Guess(task, (form.image,), (said, _LETTERBOXED, *form.assumptions), form.raw)
