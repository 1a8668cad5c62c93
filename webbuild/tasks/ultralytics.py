"""What Ultralytics' exporter writes into a model's metadata, read with suspicion."""

from __future__ import annotations

import ast

from webbuild.facts import ModelFacts, TensorFact
from webbuild.manifest import DetectTask, ImageInput, Keypoint, Letterbox, PoseTask
from webbuild.tasks import coco
from webbuild.tasks._base import Guess

_LONGEST = 200_000
"""Characters of a metadata value that are parsed; the 1,000-class names of ImageNet are a tenth of it."""


_LETTERBOXED = "pictures are letterboxed with grey 114, RGB, scaled to 0..1: Ultralytics' own pre-processing"


def guess_detect(facts: ModelFacts) -> Guess | None:
    """Return the spec of a detection export with `nms=True`, or None for anything else."""
    names, image, rows = _common(facts, "detect", 6)
    if image is None:
        return None
    said = f"task detect with {len(names)} class(es), from the exporter's metadata"
    task = DetectTask(output=facts.outputs[0].name, rows=rows, classes=names)
    return Guess(task, (image,), (said, _LETTERBOXED))


def guess_pose(facts: ModelFacts) -> Guess | None:
    """Return the spec of a pose export with `nms=True`, or None for anything else."""
    keypoints, size = keypoint_shape(facts)
    names, image, rows = _common(facts, "pose", 6 + keypoints * size)
    if image is None or not keypoints:
        return None
    said = f"task pose with {len(names)} class(es) and {keypoints} keypoints, from the exporter's metadata"
    if keypoints == len(coco.KEYPOINTS):
        named, skeleton = coco.KEYPOINTS, coco.SKELETON
        taken = "17 keypoints are taken for COCO's, with its names and skeleton"
    else:
        named, skeleton = [Keypoint(name=f"keypoint {i}", side="middle") for i in range(keypoints)], []
        taken = f"the {keypoints} keypoints have no names or skeleton in the metadata; drawn as points"
    task = PoseTask(
        output=facts.outputs[0].name,
        rows=rows,
        classes=names,
        keypoints=named,
        keypoint_size=3 if size == 3 else 2,
        skeleton=skeleton,
    )
    return Guess(task, (image,), (said, _LETTERBOXED, taken))


def _common(facts: ModelFacts, task: str, columns: int) -> tuple[list[str], ImageInput | None, int]:
    """Return classes, picture and number of rows of an export of `task` whose rows have `columns` numbers.

    The picture is None where the model is something else. An end-to-end head has no suppression and pads nothing:
    its rows mean something else.
    """
    names = class_names(facts)
    said = facts.metadata.get("task") == task and facts.metadata.get("end2end") != "True"
    if said and names and len(facts.inputs) == 1 and len(facts.outputs) == 1:
        match facts.outputs[0].shape:
            case (1, int(rows), int(width)) if width == columns:
                return names, image_input(facts.inputs[0]), rows
    return names, None, 0


def image_input(fact: TensorFact) -> ImageInput | None:
    """Return the spec of the picture that a fixed-shape NCHW float input wants, or None."""
    if fact.dtype != "float32" or len(fact.shape) != 4 or fact.shape[1] != 3:
        return None
    shape = [size for size in fact.shape if isinstance(size, int)]
    if len(shape) != 4:
        return None
    return ImageInput(
        name=fact.name,
        shape=shape,
        scale=1 / 255,
        mean=[0.0, 0.0, 0.0],
        std=[1.0, 1.0, 1.0],
        letterbox=Letterbox(),
    )


def class_names(facts: ModelFacts) -> list[str]:
    """Return the class names by index from `names`, a Python dictionary written as text; empty if unreadable."""
    parsed = literal(facts.metadata.get("names", ""))
    if isinstance(parsed, dict):
        indices = sorted(key for key in parsed if isinstance(key, int))
        return [str(parsed[index]) for index in indices] if indices == list(range(len(parsed))) else []
    return [str(name) for name in parsed] if isinstance(parsed, list) else []


def keypoint_shape(facts: ModelFacts) -> tuple[int, int]:
    """Return the number of keypoints and of numbers for each, (0, 0) if unknown."""
    match literal(facts.metadata.get("kpt_shape", "")):
        case [int(count), int(size)] if count > 0 and size in (2, 3):
            return count, size
    return 0, 0


def image_size(facts: ModelFacts) -> tuple[int, int] | None:
    """Return the export's (height, width) in pixels, None if unknown."""
    match literal(facts.metadata.get("imgsz", "")):
        case [int(height), int(width)] if height > 0 and width > 0:
            return height, width
    return None


def literal(text: str) -> object:
    """Parse a Python literal; None for anything that is none, or too long."""
    if len(text) > _LONGEST:
        return None
    try:
        value: object = ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
        return None
    return value
