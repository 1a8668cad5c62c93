"""Crop stages run on crops of an earlier stage's boxes: which boxes, how they are cropped, and the batch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec
import onnx_ir as ir
from msgspec import UNSET

from webbuild.compile.stages.crop_settings import CropSettings
from webbuild.compile.stages.graph_normalization import with_crop_normalization
from webbuild.compile.stages.joins import list_tensors
from webbuild.compile.stages.planned_stage import PlannedStage
from webbuild.errors import USAGE, WebbuildError
from webbuild.manifest.manifest import CropInput
from webbuild.manifest.stages import crop_input
from webbuild.model.signature import ModelSignature
from webbuild.tasks.recognition.byte_pictures import with_byte_pictures
from webbuild.tasks.recognition.crop_embedding_families import arcface_template, takes_faces
from webbuild.tasks.recognition.text_orientation import half_turn
from webbuild.tasks.registry import kind_of
from webbuild.tasks.task_match import TaskMatch

_CROPS_IN_A_RUN = 4
"""Second batch size of a crop stage, after 1: most pictures have few objects."""


def with_crops(
    stage: PlannedStage, match: TaskMatch, earlier: Sequence[TaskMatch], signature: ModelSignature, model: ir.Model
) -> TaskMatch:
    """Return the match of a crop stage, with the boxes that it crops (of its `cropped_classes`, else all) and how.

    Raises:
        WebbuildError: `stages-not-joined` if it takes no crops, or no earlier stage finds boxes; `duplicate-answer`;
            and what `CropSettings.apply` raises.
    """
    file = stage.source.path.name
    crop_match = _match_for_crops(match, signature, file)
    before = [each for at, each in enumerate(earlier) if at and crop_input(each.inputs)]
    boxes = next((each for each in reversed(earlier) if each not in before and kind_of(each.task).has_detections), None)
    if boxes is None:
        raise _no_crops(
            f"{file} takes crops, and no stage before it finds boxes",
            "give the model that finds boxes first; or set the task of each stage in a pipeline file",
        )
    _check_duplicate_attribute(stage, crop_match, before)
    crop_match = with_crop_normalization(crop_match, model)
    crop = next(spec for spec in crop_match.inputs if isinstance(spec, CropInput))
    settings, detector_classes = stage.crop or CropSettings(), list(getattr(boxes.task, "classes", []))
    cropped_classes = kind_of(crop_match.task).cropped_classes(crop_match.task)
    classes = [index for index, name in enumerate(detector_classes) if name in cropped_classes]
    points = [len(each.task.keypoints) for each in (boxes, *before) if hasattr(each.task, "keypoints")]
    keypoints = points[-1] if points else 0
    template = crop.template if len(crop.template) == keypoints else []
    inferred = msgspec.structs.replace(
        crop,
        classes=classes if len(classes) < len(detector_classes) else [],
        template=template,
        half_turn=half_turn(crop, before),
    )
    chosen = settings.apply(inferred, detector_classes, keypoints, stage.crop_field)
    shared_classes = _shared_classes(stage, chosen, before, detector_classes)
    assumptions = [
        _describe_boxes(chosen, shared_classes, detector_classes),
        *_describe_alignment(chosen, crop, keypoints),
    ]
    inputs = tuple(chosen if each is crop else each for each in crop_match.inputs)
    return msgspec.structs.replace(crop_match, inputs=inputs, assumptions=(*crop_match.assumptions, *assumptions))


def _match_for_crops(match: TaskMatch, signature: ModelSignature, file: str) -> TaskMatch:
    """Return the match of a stage that runs on crops. Raises `stages-not-joined` if it cannot."""
    crop_match = kind_of(match.task).for_crops(match, signature)
    if crop_match is not None and crop_input(crop_match.inputs) is not None:
        return with_byte_pictures(crop_match)
    takes, gives = (list_tensors(each) for each in (signature.inputs, signature.outputs))
    what = f"{file} takes no output of an earlier stage, and no crops of its boxes"
    raise _no_crops(
        f"{what}: it takes {takes}, and gives {gives}: no keypoints, class scores or vector",
        "export it with one picture [n, 3, h, w] or [n, h, w, 3] as its input, and with float32 scores or a vector "
        "[n, size], or maps of keypoints [n, keypoints, h / 4, w / 4], as its output; or give --task keypoints "
        "or classify",
    )


def _describe_alignment(chosen: CropInput, crop: CropInput, keypoints: int) -> Iterator[str]:
    """Yield the assumptions about rotated lines and keypoint templates.

    Args:
        chosen: the crop input with the settings of the pipeline file.
        crop: the crop input as inferred from the model.
        keypoints: how many keypoints a box has.
    """
    if chosen.half_turn is not UNSET:
        yield "lines that an earlier stage finds to be upside down are turned by 180 degrees"
    if chosen.template:
        yield f"{len(chosen.template)} keypoints of each box are aligned with the template"
    elif crop.template:
        have = f"they have {keypoints or 'no'} keypoints, and the template has {len(crop.template)}"
        yield f"boxes are not aligned: {have}; crop.template in a pipeline file sets other points"


def _check_duplicate_attribute(stage: PlannedStage, match: TaskMatch, before: Sequence[TaskMatch]) -> None:
    """Raise for a second classifier or a second embedding of the same objects: an object has one field for each."""
    kind = kind_of(match.task)
    if not kind.replaces_earlier and any(kind_of(each.task) is kind for each in before):
        raise WebbuildError(
            "duplicate-answer",
            f"{stage.source.path.name} has the same task for each object as an earlier stage: task {kind.kind}",
            "pack a bundle for each: bundles on one page share the engine and the downloads",
            exit_code=USAGE,
        )


def _shared_classes(
    stage: PlannedStage, crop: CropInput, before: Sequence[TaskMatch], detector_classes: Sequence[str]
) -> list[int]:
    """Return the classes of the boxes that reach a stage through all earlier crop stages; none for all classes.

    Raises:
        WebbuildError: `stages-not-joined` if no class is left.
    """
    shared: set[int] = set()
    for each in filter(None, (crop_input(match.inputs) for match in before)):
        shared = shared & {*each.classes} or {*each.classes} or shared
    if shared and crop.classes and not shared & {*crop.classes}:
        mine, others = (", ".join(detector_classes[index] for index in sorted(some)) for some in (crop.classes, shared))
        raise WebbuildError(
            "stages-not-joined",
            f"{stage.source.path.name} crops each {mine}, and the stages before it crop only each {others}",
            "set classes = [...] in the crop table of both in a pipeline file, or pack a bundle for each",
            exit_code=USAGE,
        )
    return sorted(shared & {*crop.classes} if shared and crop.classes else shared or crop.classes)


def _describe_boxes(crop: CropInput, classes: Sequence[int], detector_classes: Sequence[str]) -> str:
    named = ", ".join(detector_classes[index] for index in classes)
    which = f"each {named}" if named else "every box"
    least = f" with a score of at least {crop.min_score:g}" if crop.min_score else ""
    larger = f", {crop.padding:g} times as large" if crop.padding != 1 else ""
    return f"crops are cut around {which} found{least}{larger}"


def aligned_keypoints(later: Sequence[PlannedStage]) -> int:
    """Return how many keypoints later stages need to align a box: five for face embeddings, else 0."""
    faces = any(not each.joins and each.glue is None and takes_faces(each.source.signature) for each in later)
    return len(arcface_template(1)) if faces else 0


def crop_batches(stage: PlannedStage, batches: Sequence[int], *, first: bool) -> Sequence[int]:
    """Return the batch sizes of a stage: `batches`, or 1 and several for a crop stage with a free batch axis."""
    tensors = (*stage.source.signature.inputs, *stage.source.signature.outputs)
    free = all(not isinstance(spec.shape[0], int) for spec in tensors if spec.shape)
    batch = stage.source.signature.inputs[0].shape[:1]  # an output [T, N, C] has the batch as its second axis
    named = batch != (None,)
    free = free and not (named and any(batch == spec.shape[1:2] for spec in stage.source.signature.outputs))
    cut = not first and not stage.joins and stage.glue is None
    return (1, _CROPS_IN_A_RUN) if cut and free else batches


def _no_crops(what: str, fix: str) -> WebbuildError:
    return WebbuildError("stages-not-joined", what, fix, exit_code=USAGE)
