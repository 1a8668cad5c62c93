"""What `webbuild pack` does with each stage: plan, compile, collect samples, prove. One model is one stage."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

import msgspec
from msgspec import Struct

from webbuild.commands.locate_and_export import export_located, parse_export_options
from webbuild.commands.options.pack import PackArguments
from webbuild.commands.pack_text import compiled_lines, proven_lines
from webbuild.compile.compile_batch import compile_batch
from webbuild.compile.compile_model import CompiledModel, compile_model
from webbuild.compile.load_model import LoadedModel, load_model
from webbuild.compile.mixed_precision import check_exclusive_options
from webbuild.compile.model_stage import ModelStage, compile_stages
from webbuild.compile.model_variant import ModelVariant, compile_variants, naming_variant
from webbuild.compile.prove import ProvenGraphs, prove_graphs
from webbuild.compile.stage_links import StageLinks
from webbuild.compile.stage_plan import PlannedStage, plan_stages, stage_names
from webbuild.compile.stage_runs import with_later_samples
from webbuild.equivalence.nan_inputs import replace_nan_inputs
from webbuild.errors import USAGE, WebbuildError
from webbuild.inspection.before_after import inspect_before_after
from webbuild.model.given_states import parse_states
from webbuild.model.load import load_onnx
from webbuild.model.locate import LocatedModel
from webbuild.model.set_inputs import parse_set
from webbuild.model.signature import ModelSignature
from webbuild.precision.budget import SearchBudget, parse_budget
from webbuild.reporting.progress import ProgressReporter
from webbuild.samples.collect import collect_samples
from webbuild.samples.prompts import attach_prompts, with_prompts
from webbuild.targets.table import find_table
from webbuild.targets.target import Target
from webbuild.tasks.base import TaskMatch
from webbuild.tasks.picture_batches import parse_batches
from webbuild.tasks.picture_sizes import PictureSize, parse_sizes
from webbuild.tasks.symbolic_dims import parse_dims
from webbuild.tasks.user_overrides import Overrides, parse_overrides

_Value = TypeVar("_Value")


class PackOptions(Struct, frozen=True):
    """The options of `webbuild pack` that are parsed."""

    dims: Mapping[str, int]
    sizes: Sequence[PictureSize]
    batches: Sequence[int]
    values: Mapping[str, str]
    states: Mapping[str, str] | None
    overrides: Overrides
    export: dict[str, str]
    budget: SearchBudget


def parse_pack_options(arguments: PackArguments) -> PackOptions:
    """Parse what the options say.

    Raises:
        WebbuildError: what the parsers raise; `conflicting-options` for options that only one model can have.
    """
    options = PackOptions(
        dims=parse_dims(arguments.dims),
        sizes=parse_sizes(arguments.size),
        budget=parse_budget(arguments.budget),
        overrides=parse_overrides(arguments.overrides, guess_pictures=arguments.may_guess_pictures),
        export=parse_export_options(arguments.export),
        batches=parse_batches(arguments.batch),
        values=parse_set(arguments.values),
        states=parse_states(arguments.states),
    )
    check_exclusive_options(arguments.precision, arguments.weights, options.batches)
    if len(arguments.models) > 1 and (len(options.sizes) > 1 or len(options.batches) > 1):
        given = f"--size {arguments.size}" if len(options.sizes) > 1 else f"--batch {arguments.batch}"
        raise WebbuildError(
            "conflicting-options",
            f"{given}: a model of several stages has one size and one picture in a run",
            "give one --size and no --batch, or pack a bundle for each",
            exit_code=USAGE,
        )
    return options


def bundle_name(located: Sequence[LocatedModel]) -> str:
    """Return what a bundle of these models is called."""
    names = {each.name for each in located}
    return names.pop() if len(names) == 1 else stage_names([each.path.stem for each in located])[0]


def plan_models(
    located: Sequence[LocatedModel], arguments: PackArguments, options: PackOptions, progress: ProgressReporter
) -> list[PlannedStage]:
    """Load the models, and return the stages in their order; a single one has no name.

    Raises:
        WebbuildError: what `export_located`, `load_onnx` and `plan_stages` raise.
    """
    names = [""] if len(located) == 1 else stage_names([each.path.stem for each in located])[1]
    models = []
    for name, each in zip(names, located, strict=True):
        path = export_located(each, options.export, progress)
        with progress.step(f"load {path.name}"):
            models.append(PlannedStage(name, each.path, load_onnx(path)))
    planned = plan_stages(models)
    if [each.name for each in planned] != names:
        progress.print(f"note: the stages run in this order: {', '.join(each.name for each in planned)}")
    *earlier, last = planned
    return [*earlier, msgspec.structs.replace(last, task=last.task or arguments.task)]


def compile_all(
    planned: Sequence[PlannedStage],
    arguments: PackArguments,
    options: PackOptions,
    target: Target,
    progress: ProgressReporter,
) -> list[ModelStage]:
    """Load, recognise, lower and place each stage, and print what was done.

    Raises:
        WebbuildError: what `load_model`, `compile_variants` and `compile_stages` raise.
    """
    signatures = [each.source.signature for each in planned]

    def compile_one(links: StageLinks, sizes: Mapping[str, int]) -> ModelStage:
        stage = links.stage
        at = planned.index(stage)
        dims = {**sizes, **_own(options.dims, signatures, at, _free_dims)}
        size = options.sizes[:1] if at == 0 else ()
        given = options.sizes if len(planned) == 1 else size
        files = arguments.samples if at == 0 else ()
        states = None if options.states is None else _own(options.states, signatures, at, _input_names)
        values = _own(options.values, signatures, at, _input_names)
        path = stage.source.path
        first = next(iter(given), None)
        loaded = load_model(path, dims, progress, values, first, files, states, stage.source)
        overrides = _overrides(options.overrides, at, len(planned))

        def compile_single(resized: LoadedModel, like: TaskMatch | None) -> CompiledModel:
            return compile_model(
                resized, target, task=stage.task, nms=arguments.nms, wanted=overrides, progress=progress, like=like,
                links=links if len(planned) > 1 else None,
            )  # fmt: skip

        def compile_several(resized: LoadedModel, single: CompiledModel, batch: int) -> CompiledModel:
            return compile_batch(resized, target, single, batch, nms=arguments.nms)

        variants = compile_variants(loaded, dims, given, options.batches, compile_single, compile_several, files)
        compiled, loaded = variants[0].compiled, variants[0].loaded
        findings = inspect_before_after(
            loaded.source.model, compiled.lowered.graphs["webgpu"], target, loaded.dims.dims
        )
        if stage.name:
            progress.print(f"stage {stage.name}: {path.name}")
        progress.print_lines(compiled_lines(compiled, findings, arguments.nms, whole=arguments.dry_run))
        return ModelStage(stage.name, stage.given, variants, findings)

    return compile_stages(planned, compile_one)


def with_samples(
    stages: Sequence[ModelStage], arguments: PackArguments, progress: ProgressReporter
) -> list[ModelStage]:
    """Return the stages with the samples that they are compared on: later ones take what earlier ones answer.

    Raises:
        WebbuildError: what `collect_samples` and `replace_nan_inputs` raise.
    """
    first, *later = stages
    variants = [_with_own_samples(each, first.given, arguments, progress) for each in first.variants]
    first = msgspec.structs.replace(first, variants=variants)
    return with_later_samples([first, *later], progress.print_lines) if later else [first]


def _with_own_samples(
    variant: ModelVariant, path: Path, arguments: PackArguments, progress: ProgressReporter
) -> ModelVariant:
    loaded = variant.loaded
    match = with_prompts(variant.compiled.match, path, arguments.prompts)
    compiled = msgspec.structs.replace(variant.compiled, match=match)
    with naming_variant(variant.name):
        samples = attach_prompts(match, collect_samples(path, arguments.samples, variant.single_inputs, loaded.ranges))
        samples, notes = replace_nan_inputs(loaded.original, samples, compiled.postprocess, seek_signal=True)
    progress.print_lines(notes)
    return msgspec.structs.replace(variant, compiled=compiled, samples=samples)


def prove_stage(
    stage: ModelStage,
    folder: Path,
    arguments: PackArguments,
    options: PackOptions,
    target: Target,
    progress: ProgressReporter,
) -> list[ProvenGraphs]:
    """Write the graphs of a stage, prove them for each variant, and print that.

    Raises:
        WebbuildError: what `prove_graphs` raises.
    """
    proven = prove_graphs(
        stage.variants,
        folder,
        progress,
        weights=arguments.weights,
        precision=arguments.precision,
        budget=options.budget,
        table=find_table(target),
        browser=not arguments.no_verify,
    )
    for variant, of_variant in zip(stage.variants, proven, strict=True):
        progress.print_lines(proven_lines(of_variant, variant))
    return proven


def _free_dims(signature: ModelSignature) -> set[str]:
    """Return the names of a model's free dimensions, "input:axis" too."""
    free = [(spec.name, axis, dim) for spec in signature.inputs for axis, dim in enumerate(spec.shape)]
    names = {dim for _, _, dim in free if isinstance(dim, str)}
    return names | {f"{name}:{axis}" for name, axis, dim in free if not isinstance(dim, int)}


def _input_names(signature: ModelSignature) -> set[str]:
    return {spec.name for spec in signature.inputs}


def _own(
    given: Mapping[str, _Value],
    signatures: Sequence[ModelSignature],
    at: int,
    names: Callable[[ModelSignature], set[str]],
) -> dict[str, _Value]:
    """Return what is given for a stage: what it has a name for, and of the first what no stage has one for."""
    others = set[str]().union(*(names(each) for each in signatures))
    own = names(signatures[at])
    return {name: value for name, value in given.items() if name in own or (at == 0 and name not in others)}


def _overrides(given: Overrides, at: int, count: int) -> Overrides:
    """Return the overrides of a stage: pictures go into the first, classes come out of the last."""
    if count == 1:
        return given
    if at > 0:
        given = msgspec.structs.replace(given, image={}, letterbox={}, note="", guess_pictures=False)
    return given if at == count - 1 else msgspec.structs.replace(given, labels=None)
