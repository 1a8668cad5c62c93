"""Plan of a pipeline file: the stages in the order in which they run, with their joins."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path

import msgspec

from webbuild.bundle.stage_files import StageGlue
from webbuild.compile.stages.glue_reads import read_glue
from webbuild.compile.stages.joins import joins_or_crops
from webbuild.compile.stages.order import check_all_taken
from webbuild.compile.stages.pipeline_file import Pipeline, invalid_pipeline
from webbuild.compile.stages.planned_stage import Join, PlannedStage
from webbuild.compile.stages.tensor_fit import check_fit
from webbuild.errors import USAGE, WebbuildError
from webbuild.model.signature import TensorSpec


def plan_pipeline(path: Path, pipeline: Pipeline, models: Sequence[PlannedStage]) -> list[PlannedStage]:
    """Return the stages of a pipeline, ordered so that each reads only earlier stages.

    Args:
        path: the pipeline file, for messages.
        pipeline: its contents.
        models: its stages, in the order of the file.

    Raises:
        WebbuildError: `invalid-pipeline` for a cycle, or a tensor that a model lacks; `stage-mismatch`,
            `stages-not-joined`.
    """
    named = {each.name: each for each in models}
    done: list[PlannedStage] = []
    for name in _order(path, pipeline):
        stage = named[name]
        stage_joins, glue = pipeline.joins.get(name), _glue(path, pipeline, name, named, done)
        if glue is not None and not done:
            raise invalid_pipeline(
                path,
                f"stages.{name}.glue: the stage is the first, and glue computes inputs from outputs of earlier stages",
                "leave glue out, or list the outputs that it takes in reads: the stage then runs after their stages",
            )
        automatic = stage_joins is None and glue is None and bool(done)
        joins = joins_or_crops(done, stage) if automatic else _given_joins(path, stage_joins or {}, stage, named)
        crop, field = pipeline.stages[name].crop, f"{path}: stages.{name}.crop"
        if crop is not None and (not done or joins or glue is not None):
            taken = "takes tensors of earlier stages" if done else "is the first"
            fix = "leave crop out, or put a detector before the stage and leave its joins out"
            raise invalid_pipeline(path, f"stages.{name}.crop: the stage {taken}, and no crops", fix)
        done.append(msgspec.structs.replace(stage, joins=joins, glue=glue, crop=crop, crop_field=field))
    check_all_taken(done)
    return done


def _order(path: Path, pipeline: Pipeline) -> list[str]:
    """Return the names of the stages in topological order, as written where that leaves a choice."""
    left, done = list(pipeline.stages), list[str]()
    needs = {name: _stages_read(pipeline, name) for name in left}
    while left:
        ready = next((name for name in left if needs[name] <= set(done)), None)
        if ready is None:
            circle = " and ".join(left) + (" take from each other" if len(left) > 1 else " takes from itself")
            raise invalid_pipeline(
                path,
                f"joins: {circle}, so none can run first",
                "remove one of the joins: a stage takes outputs of stages that run before it",
            )
        left.remove(ready)
        done.append(ready)
    return done


def _stages_read(pipeline: Pipeline, name: str) -> set[str]:
    """Return the stages that a stage reads: all stages before it in the file if its glue has no `reads`."""
    stage, names = pipeline.stages[name], list(pipeline.stages)
    read = {each.partition(".")[0] for each in (*pipeline.joins.get(name, {}).values(), *stage.reads)}
    return read | set(names[: names.index(name)] if stage.glue is not None and not stage.reads else ())


def _given_joins(
    path: Path, stage_joins: dict[str, str], stage: PlannedStage, named: dict[str, PlannedStage]
) -> tuple[Join, ...]:
    joins = []
    for name, source in stage_joins.items():
        field = f'joins.{stage.name}."{name}"'
        earlier, _, output = source.partition(".")
        signature = stage.source.signature
        if name not in {spec.name for spec in signature.inputs} and name in {spec.name for spec in signature.outputs}:
            what = f"{field}: {name} is an output of {stage.given.name}"
            turned = f'[joins.{earlier}] with its input on the left and "{stage.name}.{name}" on the right'
            raise invalid_pipeline(path, what, f"an input takes an output: write {turned}")
        taken = _tensor(path, field, name, signature.inputs, f"{stage.given.name} has no input")
        stage_output = _tensor(
            path, field, output, named[earlier].source.signature.outputs, f"{named[earlier].given.name} has no output"
        )
        try:
            check_fit(named[earlier], stage_output, stage, taken)
        except WebbuildError as error:
            fix = "join other tensors, or export both with the same sizes and types; --dim fixes a free size"
            raise WebbuildError(error.code, f"{path}: {field}: {error.message}", fix, exit_code=USAGE) from error
        joins.append(Join(name, earlier, output))
    return tuple(joins)


def _glue(
    path: Path, pipeline: Pipeline, name: str, named: dict[str, PlannedStage], done: Sequence[PlannedStage]
) -> StageGlue | None:
    stage = pipeline.stages[name]
    if stage.glue is None:
        return None
    if not stage.reads:
        return read_glue(path.parent / stage.glue, done)
    reads = [(source.partition(".")[0], source.partition(".")[2]) for source in stage.reads]
    for earlier, output in reads:
        lacks = f"{named[earlier].given.name} has no output"
        _tensor(path, f"stages.{name}.reads", output, named[earlier].source.signature.outputs, lacks)
    return StageGlue(path.parent / stage.glue, tuple(reads))


def _tensor(path: Path, field: str, name: str, specs: Sequence[TensorSpec], lacks: str) -> TensorSpec:
    specs_by_name = {spec.name: spec for spec in specs}
    if name not in specs_by_name:
        near = get_close_matches(name, specs_by_name, 1)
        fix = f"write {near[0]}" if near else f"write one of {', '.join(specs_by_name)}"
        raise invalid_pipeline(path, f"{field}: {lacks} {name}", fix)
    return specs_by_name[name]
