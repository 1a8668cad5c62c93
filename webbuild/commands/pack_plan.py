"""The plan of `webbuild pack`: parsed options, and the models as stages in the order in which they run."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import click
import msgspec
from msgspec import Struct

from webbuild.commands.locate_and_export import export_located, parse_export_options
from webbuild.commands.options.pack import PackArguments
from webbuild.commands.stage_options import with_set_inputs
from webbuild.compile.model_variant import prefix_errors
from webbuild.compile.reduction_options import check_exclusive_options
from webbuild.compile.stages.batches import check_batches
from webbuild.compile.stages.glue_file import check_glue
from webbuild.compile.stages.glue_syntax import check_glue_syntax
from webbuild.compile.stages.line_widths import check_widths, parse_widths
from webbuild.compile.stages.order import plan_glued, plan_stages
from webbuild.compile.stages.pipeline_file import Pipeline, invalid_pipeline, read_pipeline
from webbuild.compile.stages.pipeline_plan import plan_pipeline
from webbuild.compile.stages.planned_stage import PlannedStage
from webbuild.compile.stages.stage_names import stage_names
from webbuild.errors import USAGE, WebbuildError
from webbuild.model.choose_files import several_models, without_precision
from webbuild.model.load import load_onnx
from webbuild.model.locate import LocatedModel, hub_reference, locate_model, locate_model_or_pair
from webbuild.model.read_file import require_model
from webbuild.model.set_inputs import parse_set
from webbuild.model.state_option import parse_states
from webbuild.precision.budget import SearchBudget, parse_budget
from webbuild.reporting.progress import ProgressReporter
from webbuild.samples.sample_files import require_samples
from webbuild.tasks.options.picture_batches import parse_batches
from webbuild.tasks.options.picture_sizes import PictureSize, parse_sizes
from webbuild.tasks.options.symbolic_dims import parse_dims
from webbuild.tasks.options.user_overrides import Overrides, parse_overrides

_PART = re.compile(r"((vision|image|prompt|mask|text|encoder|decoder|model)(_|$))+", re.IGNORECASE)
"""File names that only name a part of a model, such as `vision_encoder`."""


class PackOptions(Struct, frozen=True):
    """The parsed options of `webbuild pack`."""

    dims: Mapping[str, int]
    sizes: Sequence[PictureSize]
    batches: Sequence[int]
    widths: Sequence[int]
    values: Mapping[str, str]
    states: Mapping[str, str] | None
    overrides: Overrides
    export: dict[str, str]
    budget: SearchBudget


class RequestedModels(Struct, frozen=True):
    """The user's models, the name of their bundle, and the names of the stages.

    `pair_of` is the folder or repository with the two models, such as an encoder and its decoder.
    """

    name: str
    names: Sequence[str]
    located: Sequence[LocatedModel]
    pipeline: Pipeline | None = None
    pair_of: str = ""


def parse_pack_options(arguments: PackArguments) -> PackOptions:
    """Parse the values of the command-line options.

    Raises:
        WebbuildError: what the parsers raise; `conflicting-options`; `sample-not-found`.
    """
    options = PackOptions(
        dims=parse_dims(arguments.dims),
        sizes=parse_sizes(",".join(arguments.size) if arguments.size else None),
        budget=parse_budget(arguments.budget),
        overrides=parse_overrides(arguments.overrides, guess_pictures=arguments.may_guess_pictures),
        export=parse_export_options(arguments.export),
        batches=parse_batches(arguments.batch),
        widths=parse_widths(arguments.widths),
        values=parse_set(arguments.values),
        states=parse_states(arguments.states),
    )
    check_exclusive_options(arguments.precision, arguments.weights)
    if arguments.budget and arguments.precision not in ("mixed", "auto"):
        raise WebbuildError(
            "conflicting-options",
            f"--budget {arguments.budget[0]}: it limits a search that --precision {arguments.precision} does not make",
            "give --precision mixed or --precision auto with it, or leave it out",
            exit_code=USAGE,
        )
    require_samples(arguments.samples)
    if arguments.nms == "auto" and arguments.no_verify:
        raise WebbuildError(
            "conflicting-options",
            "--nms auto runs the bundle in Chromium, and --no-verify does not",
            "leave out --no-verify, or give --nms shader or --nms gpu",
            exit_code=USAGE,
        )
    return options


def locate_models(arguments: PackArguments) -> RequestedModels:
    """Return the models of the arguments, or of the pipeline file. A single model is a stage without a name.

    Raises:
        WebbuildError: `conflicting-options`, `model-not-found`, and what `read_pipeline` and `locate_model` raise.
    """
    if arguments.pipeline is None:
        models = _models_from_files(arguments.models)
    elif arguments.models:
        raise WebbuildError(
            "conflicting-options",
            f"{arguments.models[0]}: --pipeline {arguments.pipeline} names the models already",
            "give --pipeline FILE without MODEL",
            exit_code=USAGE,
        )
    else:
        models = _models_from_pipeline(arguments.pipeline)
    check_glue(arguments.glue, arguments.pipeline, len(models.names))
    return models


def _models_from_files(models: Sequence[Path]) -> RequestedModels:
    if not models:
        raise click.UsageError("Missing argument 'MODEL...'.")
    located = locate_model_or_pair(models[0]) if len(models) == 1 else [locate_model(each) for each in models]
    for each in located:
        require_model(each.path)
    if len(located) == 1:
        return RequestedModels(located[0].name, [""], located)
    common, names = stage_names([without_precision(each.path.stem) for each in located])
    pair_of = hub_reference(models[0]) or str(models[0]) if len(models) == 1 else ""
    return RequestedModels(common_name(located, common), names, located, pair_of=pair_of)


def common_name(located: Sequence[LocatedModel], common: str) -> str:
    """Return the name of a bundle of several files: their folder's if the file names are only parts, else `common`."""
    titles = {each.name for each in located}
    if len(titles) == 1:
        return titles.pop()
    folders = {each.path.resolve().parent for each in located}
    named = {folder.parent if folder.name == "onnx" else folder for folder in folders}
    only_parts = all(_PART.fullmatch(without_precision(each.path.stem)) for each in located)
    return named.pop().name if only_parts and len(named) == 1 else common


def _models_from_pipeline(path: Path) -> RequestedModels:
    pipeline = read_pipeline(path)
    located = []
    for name, stage in pipeline.stages.items():
        named = Path(stage.model)
        with prefix_errors(f"{path}: stages.{name}.model"):
            model = locate_model(named if hub_reference(named) is not None else path.parent / named)
        if not model.path.is_file():
            problem = f"stages.{name}.model: {model.path}: no such file"
            raise invalid_pipeline(path, problem, "write its path relative to the folder of the pipeline file")
        located.append(model)
    return RequestedModels(path.stem, list(pipeline.stages), located, pipeline)


def plan_models(
    requested: RequestedModels, arguments: PackArguments, options: PackOptions, progress: ProgressReporter
) -> list[PlannedStage]:
    """Load the models, and return the stages in their order.

    Raises:
        WebbuildError: what `export_located`, `load_onnx`, `with_set_inputs`, `plan_stages`, `plan_pipeline` and
            `check_glue_syntax` raise; `several-models`.
    """
    models = []
    if requested.pair_of:
        files = " and ".join(each.file for each in requested.located)
        progress.print(f"note: {requested.pair_of}: an encoder and its decoder, {files}, are packed as one")
    for name, each in zip(requested.names, requested.located, strict=True):
        task = None if requested.pipeline is None else requested.pipeline.stages[name].task
        field = "" if requested.pipeline is None else f"{arguments.pipeline}: stages.{name}.model"
        with prefix_errors(field):
            path = export_located(each, options.export, progress)
        with prefix_errors(field), progress.step(f"load {path.name}"):
            models.append(PlannedStage(name, each.path, load_onnx(path), task=task))
    models = with_set_inputs(models, options.values)
    if requested.pipeline is not None and arguments.pipeline is not None:
        planned = plan_pipeline(arguments.pipeline, requested.pipeline, models)
    elif arguments.glue is not None:
        planned = plan_glued(models, arguments.glue)
    else:
        planned = _plan_files(requested, models)
    check_batches(planned, options.batches)
    check_widths(planned, options.widths)
    order = [each.name for each in planned]
    if order != list(requested.names):
        progress.print(f"note: the stages run in this order: {', '.join(order)}")
    glues = [each.glue.file for each in planned if each.glue is not None]
    progress.print_lines(f"note: {each}" for each in check_glue_syntax(glues))
    *earlier, last = planned
    return [*earlier, msgspec.structs.replace(last, task=last.task or arguments.task)]


def _plan_files(requested: RequestedModels, models: Sequence[PlannedStage]) -> list[PlannedStage]:
    """Return the stages in order. Raises `several-models` for two files of a folder that do not join."""
    try:
        return plan_stages(models)
    except WebbuildError as error:
        if not requested.pair_of:
            raise
        names = [each.file for each in requested.located]
        raise several_models(requested.pair_of, names, reason=error.message) from None
