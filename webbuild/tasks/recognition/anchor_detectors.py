"""Recognize anchor detectors with separate score and box outputs by their number of anchors: YuNet, SCRFD, ..."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec
from msgspec import Struct

from webbuild.manifest.manifest import DetectTask, ImageInput, Keypoint, Letterbox, PoseTask
from webbuild.model.signature import ModelSignature
from webbuild.postprocess.anchors import AnchorLevel, AnchorPostprocess, Columns
from webbuild.postprocess.output_names import DETECTIONS
from webbuild.preprocess.image import input_size
from webbuild.preprocess.recipe_text import describe_recipe
from webbuild.tasks.recognition.anchor_families import FAMILIES, AnchorFamily, anchor_levels
from webbuild.tasks.recognition.image_input import only_image_input
from webbuild.tasks.recognition.metadata import class_names
from webbuild.tasks.recognition.yolo import named_classes
from webbuild.tasks.task_match import TaskMatch

_MIN_PAIR = 1000
"""Minimum rows of scores and boxes to be anchors, not a DETR's queries."""
_SCORE_WORDS = ("score", "conf", "cls", "class", "prob")
_BOX_WORDS = ("box", "loc")


class Table(Struct, frozen=True):
    """An output of rows: [1, anchors, numbers] or [anchors, numbers]."""

    name: str
    anchors: int
    numbers: int


def infer_anchor_detector(signature: ModelSignature, *, requested: bool, keypoints: bool = False) -> TaskMatch | None:
    """Return the match of an anchor detector, None for other models; with `keypoints`, of one with a keypoint output.

    A known family is recognized by its output shapes alone. Scores and boxes without a known anchor grid need
    matching output names, or `requested`.
    """
    image = only_image_input(signature, "nchw", "nhwc")
    tables = _tables(signature)
    if image is None or not tables or "task" in signature.metadata:
        return None
    size = input_size(image)
    for family in FAMILIES:
        for spec in _family_specs(family, size, tables):
            if keypoints and not spec.keypoints:
                return None
            return _family_match(signature, family, spec, image, keypoints=keypoints)
    return None if keypoints else _infer_pair(signature, tables, image, requested=requested)


def _tables(signature: ModelSignature) -> list[Table]:
    """Return the outputs as tables; [] if one of them is not a table."""
    tables = []
    for fact in signature.outputs:
        match fact.shape:
            case (1, int(anchors), int(numbers)) | (int(anchors), int(numbers)) if fact.dtype == "float32":
                tables.append(Table(fact.name, anchors, numbers))
            case _:
                return []
    return tables


def _family_specs(family: AnchorFamily, size: tuple[int, int], tables: Sequence[Table]) -> Iterator[AnchorPostprocess]:
    for grid in family.grids:
        for levels in anchor_levels(grid, size):
            spec = _match_levels(family, size, levels, tables)
            if spec is not None:
                yield spec


def _match_levels(
    family: AnchorFamily, size: tuple[int, int], levels: tuple[AnchorLevel, ...], tables: Sequence[Table]
) -> AnchorPostprocess | None:
    """Return the postprocessing if the tables fit the family: one of each kind for all levels, or one per level."""
    counts = [level.anchors for level in levels]
    groups = [[each for each in tables if each.anchors == count] for count in dict.fromkeys(counts)]
    if all(each.anchors == sum(counts) for each in tables):
        groups = [list(tables)]
    elif len(set(counts)) != len(counts) or sum(map(len, groups)) != len(tables):
        return None
    levels_parts = [_parts(family, group) for group in groups]
    if any(each is None for each in levels_parts):
        return None
    parts = [each for each in levels_parts if each is not None]
    if len({tuple(sorted((name, c.width) for name, c in each.items())) for each in parts}) != 1:
        return None
    columns = {name: tuple(each[name] for each in parts) for name in parts[0]}
    classes = columns["scores"][0].width
    return AnchorPostprocess(
        scores=columns["scores"],
        objectness=columns.get("objectness", ()),
        boxes=columns["boxes"],
        keypoints=columns.get("keypoints", ()),
        size=size,
        classes=1 if family.label else classes,
        coding=family.coding,
        levels=levels,
        offset=family.offset,
        variances=family.variances,
        decodable=family.decodable,
        background=family.scores == 2,
        iou=0.3 if family.label else 0.6,
    )


def _parts(family: AnchorFamily, group: Sequence[Table]) -> dict[str, Columns] | None:
    """Return the columns of scores, boxes, etc. in the tables of one level, None if they do not fit the family."""
    left = list(group)

    def take(numbers: int) -> Table | None:
        match = next((each for each in left if each.numbers == numbers), None)
        if match is not None:
            left.remove(match)
        return match

    parts: dict[str, Columns] = {}
    box = None
    if family.joined == "scores":
        if len(left) != 1 or left[0].numbers <= family.box:
            return None
        (table,) = left
        classes = table.numbers - family.box
        return {"scores": Columns(table.name, 0, classes), "boxes": Columns(table.name, classes, table.numbers)}
    box = take(family.box + (family.keypoints if family.joined else 0))
    if box is None:
        return None
    parts["boxes"] = Columns(box.name, 0, family.box)
    if family.joined:
        parts["keypoints"] = Columns(box.name, family.box, box.numbers)
    elif family.keypoints and (points := take(family.keypoints)) is not None:
        parts["keypoints"] = Columns(points.name, 0, points.numbers)
    score = take(family.scores) if family.scores else (left.pop() if len(left) == 1 else None)
    if score is None:
        return None
    parts["scores"] = Columns(score.name, 0, score.numbers)
    if family.objectness:
        second = take(1)
        if second is None:
            return None
        parts["objectness"] = Columns(second.name, 0, 1)
    return None if left else parts


def _family_match(
    signature: ModelSignature, family: AnchorFamily, spec: AnchorPostprocess, image: ImageInput, *, keypoints: bool
) -> TaskMatch:
    anchors = sum(level.anchors for level in spec.levels)
    names = class_names(signature)
    if family.label:
        classes, named = [family.label], f"the one class is '{family.label}'"
    else:
        classes, named = named_classes(names if len(names) == spec.classes else [], spec.classes)
    picture = family.recipe.apply(image)
    kind = "pose" if keypoints else "detect"
    assumptions = (
        f"task {kind}: {_listed(spec)} are read as {family.name}'s, recognized by their {anchors} anchors; {named}; "
        f"boxes are decoded, NMS is appended: confidence {spec.confidence:g}, IoU {spec.iou:g}"
    )
    recipe = f"pictures are preprocessed as {family.name} expects: {describe_recipe(picture)}"
    if spec.keypoints and not keypoints:
        points = spec.keypoints[0].width // 2
        recipe += f"; its {points} keypoints are left out; --task pose keeps them"
        unused = tuple(each.output for each in spec.keypoints)
        spec = msgspec.structs.replace(spec, keypoints=(), unused=unused)
    rows = min(anchors, spec.max_detections)
    if not keypoints:
        task: DetectTask | PoseTask = DetectTask(output=DETECTIONS, rows=rows, classes=classes)
    else:
        task = _pose_task(spec, rows, classes)
    return TaskMatch(task, (picture,), (assumptions, recipe), spec)


_FIVE = ("right eye", "left eye", "nose", "right mouth corner", "left mouth corner")
_NAMES = {10: _FIVE, 12: ("right eye", "left eye", "nose", "mouth", "right ear", "left ear")}


def _pose_task(spec: AnchorPostprocess, rows: int, classes: list[str]) -> PoseTask:
    numbers = spec.keypoints[0].width
    names = _NAMES.get(numbers, tuple(f"keypoint {index}" for index in range(numbers // 2)))
    points = [
        Keypoint(name=name, side="right" if "right" in name else "left" if "left" in name else "middle")
        for name in names
    ]
    return PoseTask(output=DETECTIONS, rows=rows, classes=classes, keypoints=points, keypoint_size=2, skeleton=[])


def _listed(spec: AnchorPostprocess) -> str:
    names = dict.fromkeys(each.output for part in (spec.scores, spec.boxes) for each in part)
    shown = [f"'{name}'" for name in names]
    return ", ".join(shown[:3]) + (f" and {len(shown) - 3} more outputs" if len(shown) > 3 else "")


def _infer_pair(
    signature: ModelSignature, tables: Sequence[Table], image: ImageInput, *, requested: bool
) -> TaskMatch | None:
    """Return the match of scores [1, N, C] and boxes [1, N, 4], assumed to be corners; their unit is measured later."""
    if len(tables) != 2 or len({each.anchors for each in tables}) != 1 or tables[0].anchors < _MIN_PAIR:
        return None
    boxes = next((each for each in tables if each.numbers == 4 and _named(each, _BOX_WORDS)), None)
    boxes = boxes or next((each for each in tables if each.numbers == 4), None)
    if boxes is None:
        return None
    scores = tables[0] if boxes is tables[1] else tables[1]
    if not requested and not (_named(boxes, _BOX_WORDS) and _named(scores, _SCORE_WORDS)):
        return None
    spec = AnchorPostprocess(
        scores=(Columns(scores.name, 0, scores.numbers),),
        boxes=(Columns(boxes.name, 0, 4),),
        size=input_size(image),
        classes=scores.numbers,
        coding="corners",
    )
    classes, named = named_classes(class_names(signature), spec.classes)
    assumptions = (
        f"task detect: '{scores.name}' [{scores.anchors}, {scores.numbers}] and '{boxes.name}' are read as scores "
        f"and corners of boxes; NMS is appended: confidence {spec.confidence:g}, IoU {spec.iou:g}"
    )
    picture = msgspec.structs.replace(image, letterbox=Letterbox(mode="stretch"))
    recipe = f"pictures are preprocessed as most detectors expect: {describe_recipe(picture)}"
    task = DetectTask(output=DETECTIONS, rows=min(boxes.anchors, spec.max_detections), classes=classes)
    return TaskMatch(task, (picture,), (assumptions, named, recipe), spec, guessed_recipe=recipe)


def _named(table: Table, words: Sequence[str]) -> bool:
    return any(word in table.name.lower() for word in words)
