"""Checks the picture inputs of later stages: only the first stage may have masks and reference images."""

from __future__ import annotations

from msgspec import UNSET

from webbuild.compile.stages.planned_stage import PlannedStage
from webbuild.errors import USAGE, WebbuildError
from webbuild.manifest.inputs.picture import ReferenceInput
from webbuild.manifest.manifest import ImageInput, Input, MaskInput
from webbuild.tasks.registry import kind_of
from webbuild.tasks.task_match import TaskMatch


def check_pictures(stage: PlannedStage, match: TaskMatch) -> None:
    """Raise if a later stage takes a mask or a reference image, or makes a picture from a tensor.

    Raises:
        WebbuildError: `stage-with-picture`.
    """
    file = stage.source.path.name
    for spec in match.inputs:
        if what := _first_stage_only(spec):
            raise _not_supported(
                stage, f"input '{spec.name}' of {file} takes {what}, which only the first stage may take"
            )
    if kind_of(match.task).makes_picture and not any(isinstance(spec, ImageInput) for spec in match.inputs):
        joins_text = ", ".join(f"'{join.output}' of stage {join.stage}" for join in stage.joins)
        raise _not_supported(
            stage, f"task {kind_of(match.task).kind} makes a picture from a picture, and {file} takes {joins_text}"
        )


def _first_stage_only(spec: Input) -> str:
    if isinstance(spec, ReferenceInput):
        return "a second picture"
    masked = isinstance(spec, ImageInput) and spec.mask is not UNSET
    return "a hole in the picture" if masked or isinstance(spec, MaskInput) else ""


def _not_supported(stage: PlannedStage, what: str) -> WebbuildError:
    return WebbuildError(
        "stage-with-picture",
        what,
        f'write task = "tensor" for stage {stage.name} in the file of --pipeline: the caller then passes the inputs '
        "that no stage provides, and the page draws its outputs by their shapes; or pack that model alone",
        exit_code=USAGE,
    )
