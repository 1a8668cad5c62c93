"""The order of stages: the user's order, else the only order in which outputs match inputs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise, permutations
from pathlib import Path

import msgspec

from webbuild.compile.stages.glue_reads import read_glue
from webbuild.compile.stages.joins import automatic_joins, fitting_joins, not_joined, takes_pictures_alone
from webbuild.compile.stages.planned_stage import PlannedStage
from webbuild.errors import USAGE, WebbuildError

_MOST_REORDERED = 4
"""The order of more stages is not searched."""


def plan_stages(models: Sequence[PlannedStage]) -> list[PlannedStage]:
    """Return the stages with their joins, in the given order, else in the only order in which outputs match inputs.

    A picture model without joins may run on crops of an earlier stage's boxes; compiling decides whether it does.

    Raises:
        WebbuildError: `stage-mismatch` if two tensors of one name do not fit; `stages-not-joined` if a stage takes
            nothing from earlier stages, or provides nothing to later stages.
    """
    try:
        return _joined(models)
    except WebbuildError as error:
        plans = list(_other_orders(models)) if len(models) <= _MOST_REORDERED else []
        if len(plans) == 1:
            return plans[0]
        if all(takes_pictures_alone(each) for each in models[1:]):
            _check_tensors_of_crops(models)
            return list(models)
        raise error from None


def _other_orders(models: Sequence[PlannedStage]) -> Iterator[list[PlannedStage]]:
    for order in permutations(models):
        try:
            yield _joined(order, by_type=False)
        except WebbuildError:
            continue


def plan_glued(models: Sequence[PlannedStage], file: Path) -> list[PlannedStage]:
    """Return the models in their order, with a JavaScript module before the last one.

    Inputs with the name and type of an output are joined to it; the module computes the other inputs.

    Raises:
        WebbuildError: `invalid-glue` if no input is left for the module; `stage-mismatch`, `stages-not-joined`.
    """
    *earlier, last = models
    done = _in_order(earlier)
    joins, inputs = fitting_joins(done, last), last.source.signature.inputs
    if len(joins) == len(inputs):
        named = ", ".join(f"'{each.input}'" for each in joins)
        raise WebbuildError(
            "invalid-glue",
            f"{file}: it has no input to compute: {named} of {last.source.path.name} are outputs of earlier models",
            "leave --glue out, or set the joined inputs with --pipeline FILE: the module computes the others",
            exit_code=USAGE,
        )
    done.append(msgspec.structs.replace(last, joins=joins, glue=read_glue(file, done)))
    check_all_taken(done)
    return done


def _joined(models: Sequence[PlannedStage], *, by_type: bool = True) -> list[PlannedStage]:
    done = _in_order(models, by_type=by_type)
    check_all_taken(done)
    return done


def _in_order(models: Sequence[PlannedStage], *, by_type: bool = True) -> list[PlannedStage]:
    done: list[PlannedStage] = list(models[:1])
    for model in models[1:]:
        done.append(msgspec.structs.replace(model, joins=automatic_joins(done, model, by_type=by_type)))
    return done


def check_all_taken(stages: Sequence[PlannedStage]) -> None:
    """Raise for a stage if no later stage can use its outputs or results.

    Raises:
        WebbuildError: `stages-not-joined`, `tensors-of-crops`.
    """
    read = {stage for each in stages if each.glue for stage, _ in each.glue.reads}
    joined_stages = read | {join.stage for stage in stages for join in stage.joins}
    last_results_stage = max((at for at, each in enumerate(stages) if at and _may_take_results(each)), default=0)
    for at, stage in enumerate(stages[:-1]):
        if stage.name not in joined_stages and at >= last_results_stage:
            raise not_joined([stage], stages[at + 1])
    _check_tensors_of_crops(stages)


def _check_tensors_of_crops(stages: Sequence[PlannedStage]) -> None:
    """Raise if a stage after a crop stage takes no crops: the number of crops varies with the picture.

    Raises:
        WebbuildError: `tensors-of-crops`.
    """
    for stage, after in pairwise(stages[1:]):
        if _looks_at_crops(stage) and not _looks_at_crops(after):
            crop_stage, other = stage.source.path.name, after.source.path.name
            takes = (
                f"{other} after it takes tensors"
                if after.glue is None
                else f"glue makes the inputs of {other} after it"
            )
            raise WebbuildError(
                "tensors-of-crops",
                f"{crop_stage} runs on crops, and {takes}",
                f"put {other} before it, if its inputs allow; or pack a bundle for each",
                exit_code=USAGE,
            )


def _looks_at_crops(stage: PlannedStage) -> bool:
    return not stage.joins and stage.glue is None and takes_pictures_alone(stage)


def _may_take_results(stage: PlannedStage) -> bool:
    """Whether a stage may run on crops of detections, or has glue that reads results and no outputs."""
    if stage.glue is not None:
        return not stage.glue.reads
    return _looks_at_crops(stage)
