"""What Ultralytics' exporter writes into a model's metadata, read with suspicion."""

from __future__ import annotations

import ast

from webbuild.facts import ModelFacts, TensorFact
from webbuild.manifest import ImageInput, Keypoint, Letterbox, PoseTask
from webbuild.tasks import coco
from webbuild.tasks._base import Guess

_LONGEST = 200_000
"""Characters of a metadata value that are parsed; the 1,000-class names of ImageNet are a tenth of it."""


def guess_pose(facts: ModelFacts) -> Guess | None:
    """Return the spec of a pose export with `nms=True`, or None for anything else."""
    if facts.metadata.get("task") != "pose" or len(facts.inputs) != 1 or not facts.outputs:
        return None
    output = facts.outputs[0]
    names = class_names(facts)
    keypoints, size = keypoint_shape(facts)
    match output.shape:
        case (1, int(rows), columns) if names and columns == 6 + keypoints * size:
            pass
        case _:
            return None
    coco_people = keypoints == len(coco.KEYPOINTS)
    assumptions = [
        f"task pose with {len(names)} class(es) and {keypoints} keypoints, from the exporter's metadata",
        "pictures are letterboxed with grey 114, RGB, scaled to 0..1: Ultralytics' own pre-processing",
    ]
    if coco_people:
        assumptions.append("17 keypoints are taken for COCO's, with its names and skeleton")
    else:
        assumptions.append(f"the {keypoints} keypoints have no names or skeleton in the metadata; drawn as points")
    task = PoseTask(
        output=output.name,
        rows=rows,
        classes=names,
        keypoints=coco.KEYPOINTS
        if coco_people
        else [Keypoint(name=f"keypoint {i}", side="middle") for i in range(keypoints)],
        keypoint_size=3 if size == 3 else 2,
        skeleton=coco.SKELETON if coco_people else [],
    )
    image = image_input(facts.inputs[0])
    return None if image is None else Guess(task, (image,), tuple(assumptions))


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
