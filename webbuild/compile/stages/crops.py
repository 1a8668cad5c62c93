"""A stage that looks at crops of what an earlier stage finds: which of its boxes are cut, and how many in a run."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from webbuild.compile.stages.planned_stage import PlannedStage
from webbuild.errors import USAGE, WebbuildError
from webbuild.manifest.manifest import CropInput
from webbuild.tasks.registry import kind_of
from webbuild.tasks.task_match import TaskMatch

CROPS_IN_A_RUN = 4
"""What a stage of crops is packed for besides one: a picture mostly has few people."""


def with_crops(stage: PlannedStage, match: TaskMatch, earlier: Sequence[TaskMatch]) -> TaskMatch:
    """Return the match of a stage with the classes whose boxes it looks at: those of its subject, else all.

    Raises:
        WebbuildError: `stages-not-joined` where it takes no crops, or no earlier stage finds boxes.
    """
    file = stage.source.path.name
    crop = next((spec for spec in match.inputs if isinstance(spec, CropInput)), None)
    if crop is None:
        raise _no_crops(f"{file} takes no output of an earlier stage, and no crop of what one found")
    boxes = next((each for each in reversed(earlier) if kind_of(each.task).has_detections), None)
    if boxes is None:
        raise _no_crops(f"{file} takes crops, and no stage before it finds boxes")
    subjects, found = getattr(match.task, "classes", []), getattr(boxes.task, "classes", [])
    classes = [index for index, name in enumerate(found) if name in subjects]
    named = ", ".join(found[index] for index in classes)
    said = f"crops are cut around each {named}" if named else "crops are cut around every box"
    inputs = tuple(
        msgspec.structs.replace(each, classes=classes if len(classes) < len(found) else []) if each is crop else each
        for each in match.inputs
    )
    return msgspec.structs.replace(match, inputs=inputs, assumptions=(*match.assumptions, f"{said} that is found"))


def crop_batches(stage: PlannedStage, given: Sequence[int], *, first: bool) -> Sequence[int]:
    """Return how many crops a stage takes in a run: one, and several where its export leaves that free."""
    free = all(not isinstance(spec.shape[0], int) for spec in stage.source.signature.inputs if spec.shape)
    cut = not first and not stage.joins and stage.glue is None
    return (1, CROPS_IN_A_RUN) if cut and free else given


def _no_crops(what: str) -> WebbuildError:
    return WebbuildError(
        "stages-not-joined",
        what,
        "give the model that finds boxes first; or name what a stage is for in a pipeline file",
        exit_code=USAGE,
    )
