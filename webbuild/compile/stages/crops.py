"""A stage that looks at crops of what an earlier one finds: which boxes are cut, how, and how many in a run."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import onnx_ir as ir

from webbuild.compile.stages.crop_settings import CropSettings
from webbuild.compile.stages.graph_normalization import with_crop_normalization
from webbuild.compile.stages.joins import list_tensors
from webbuild.compile.stages.planned_stage import PlannedStage
from webbuild.errors import USAGE, WebbuildError
from webbuild.manifest.manifest import CropInput
from webbuild.model.signature import ModelSignature
from webbuild.tasks.embedding_families import arcface_template, takes_faces
from webbuild.tasks.registry import kind_of
from webbuild.tasks.task_match import TaskMatch

CROPS_IN_A_RUN = 4
"""What a stage of crops is packed for besides one: a picture mostly has few people."""


def with_crops(
    stage: PlannedStage, match: TaskMatch, earlier: Sequence[TaskMatch], signature: ModelSignature, model: ir.Model
) -> TaskMatch:
    """Return the match of a stage with the crops that it looks at: of boxes of its subject's classes, else of all.

    Raises:
        WebbuildError: `stages-not-joined` where it takes no crops, or no earlier stage finds boxes; what
            `CropSettings.apply` raises.
    """
    file = stage.source.path.name
    boxes = next((each for each in reversed(earlier) if kind_of(each.task).has_detections), None)
    looking = kind_of(match.task).of_crops(match, signature)
    crop = next((spec for spec in looking.inputs if isinstance(spec, CropInput)), None) if looking else None
    if looking is None or crop is None:
        takes, gives = (list_tensors(each) for each in (signature.inputs, signature.outputs))
        what = f"{file} takes no output of an earlier stage, and no crop of what one found"
        raise _no_crops(f"{what}: it takes {takes}, and gives {gives}: no keypoints, scores of classes or vector")
    if boxes is None:
        raise _no_crops(f"{file} takes crops, and no stage before it finds boxes")
    looking = with_crop_normalization(looking, model)
    crop = next(spec for spec in looking.inputs if isinstance(spec, CropInput))
    settings, found = stage.crop or CropSettings(), list(getattr(boxes.task, "classes", []))
    subjects = kind_of(looking.task).subjects(looking.task)
    classes = [index for index, name in enumerate(found) if name in subjects]
    keypoints = len(getattr(boxes.task, "keypoints", []))
    template = crop.template if len(crop.template) == keypoints else []
    own = msgspec.structs.replace(crop, classes=classes if len(classes) < len(found) else [], template=template)
    cut = settings.apply(own, found, keypoints, stage.crop_place)
    said = [_describe_boxes(cut, found)]
    if cut.template:
        said.append(f"{len(cut.template)} keypoints of each box are brought to those of the template")
    elif crop.template:
        said.append(f"boxes are not aligned: the stage that finds them gives no {len(crop.template)} keypoints")
    inputs = tuple(cut if each is crop else each for each in looking.inputs)
    return msgspec.structs.replace(looking, inputs=inputs, assumptions=(*looking.assumptions, *said))


def _describe_boxes(crop: CropInput, found: Sequence[str]) -> str:
    named = ", ".join(found[index] for index in crop.classes)
    which = f"each {named}" if named else "every box"
    least = f" with a score of at least {crop.min_score:g}" if crop.min_score else ""
    larger = f", {crop.padding:g} times as large" if crop.padding != 1 else ""
    return f"crops are cut around {which} that is found{least}{larger}"


def aligned_keypoints(later: Sequence[PlannedStage]) -> int:
    """Return how many keypoints of each box the later stages align: those of faces that an embedding takes, or 0."""
    faces = any(not each.joins and each.glue is None and takes_faces(each.source.signature) for each in later)
    return len(arcface_template(1)) if faces else 0


def crop_batches(stage: PlannedStage, given: Sequence[int], *, first: bool) -> Sequence[int]:
    """Return how many crops a stage takes in a run: one, and several where its export leaves that free."""
    tensors = (*stage.source.signature.inputs, *stage.source.signature.outputs)
    free = all(not isinstance(spec.shape[0], int) for spec in tensors if spec.shape)
    cut = not first and not stage.joins and stage.glue is None
    return (1, CROPS_IN_A_RUN) if cut and free else given


def _no_crops(what: str) -> WebbuildError:
    return WebbuildError(
        "stages-not-joined",
        what,
        "give the model that finds boxes first; or name what a stage is for in a pipeline file",
        exit_code=USAGE,
    )
