"""The stages of `webbuild pack`: each is compiled, gets samples and is proven. A single model is one stage."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from webbuild.commands.options.pack import PackArguments
from webbuild.commands.pack_messages import compiled_lines, findings_before_after, proven_lines
from webbuild.commands.pack_plan import PackOptions
from webbuild.commands.stage_options import free_dims, input_names, own_options
from webbuild.compile.compile_batch import compile_batch
from webbuild.compile.compile_model import CompiledModel, compile_model
from webbuild.compile.line_padding import padding_warnings
from webbuild.compile.load_model import LoadedModel, load_model, with_memoized_original
from webbuild.compile.model_variant import ModelVariant, compile_variants, prefix_errors
from webbuild.compile.object_variant import check_one_object, with_object_variant
from webbuild.compile.prompt_variants import with_prompt_variants
from webbuild.compile.prove import ProvenGraphs, prove_graphs
from webbuild.compile.reduction_options import ReductionOptions
from webbuild.compile.stages.batches import compile_possible, stage_batches
from webbuild.compile.stages.line_widths import line_sizes
from webbuild.compile.stages.links import StageLinks
from webbuild.compile.stages.model_stage import ModelStage, compile_stages
from webbuild.compile.stages.planned_stage import PlannedStage
from webbuild.compile.stages.samples import with_later_samples
from webbuild.equivalence.nan_inputs import replace_nan_inputs
from webbuild.passes.base import NmsPlacement
from webbuild.reporting.progress import ProgressReporter
from webbuild.runners.content_cache import ContentCache
from webbuild.samples.collect import collect_samples, default_sample_folder
from webbuild.samples.prompts import attach_prompts, with_prompts
from webbuild.targets.table import find_table
from webbuild.targets.target import Target
from webbuild.tasks.options.user_overrides import Overrides
from webbuild.tasks.task_match import TaskMatch


def compile_all(
    planned: Sequence[PlannedStage],
    arguments: PackArguments,
    options: PackOptions,
    target: Target,
    progress: ProgressReporter,
    cache: ContentCache | None,
    nms: NmsPlacement,
) -> list[ModelStage]:
    """Load and compile each stage, and print its assumptions and rewrites.

    Raises:
        WebbuildError: what `load_model`, `compile_variants` and `compile_stages` raise.
    """
    signatures = [each.source.signature for each in planned]

    def compile_one(links: StageLinks, sizes: Mapping[str, int]) -> ModelStage:
        stage = links.stage
        at = planned.index(stage)
        own = own_options(options.dims, signatures, at, free_dims)
        stage_picture_sizes = options.sizes if at == 0 else line_sizes(stage, options.widths, own)
        dims = {**({} if stage_picture_sizes else links.picture_sizes(own)), **sizes, **own}
        files = arguments.samples if at == 0 else ()
        states = None if options.states is None else own_options(options.states, signatures, at, input_names)
        if len(planned) > 1 and stage.task is None:
            check_one_object(stage.source.signature, dims)
        path = stage.source.path
        first = next(iter(stage_picture_sizes), None)
        loaded = load_model(
            path,
            dims,
            progress,
            size=first,
            samples=files,
            states=states,
            source=stage.source,
            used_outputs=links.used_outputs,
            cache=cache,
        )
        overrides = _overrides(options.overrides, stage, at, len(planned))

        def compile_single(resized: LoadedModel, base_match: TaskMatch | None) -> CompiledModel:
            return compile_model(
                resized, target, task=stage.task, nms=nms, overrides=overrides, progress=progress,
                base_match=base_match, links=links if len(planned) > 1 else None,
            )  # fmt: skip

        def compile_several(resized: LoadedModel, single: CompiledModel, batch: int) -> CompiledModel:
            return compile_batch(resized, target, single, batch, nms=nms)

        def compile_each(batches: Sequence[int]) -> list[ModelVariant]:
            return compile_variants(loaded, dims, stage_picture_sizes, batches, compile_single, compile_several, files)

        variants = compile_possible(compile_each, stage_batches(planned, at, options.batches), options.batches)
        variants = with_prompt_variants(variants, dims, compile_single)
        variants = with_object_variant(variants, dims, compile_single)
        compiled, loaded = variants[0].compiled, variants[0].loaded
        findings = findings_before_after(loaded, compiled, target)
        if stage.name:
            progress.print(f"stage {stage.name}: {path.name}")
        progress.print_lines(compiled_lines(compiled, findings, nms, every=arguments.dry_run))
        if stage.glue is not None:
            progress.print_lines(f"note: {each}" for each in stage.glue.assumptions)
        return ModelStage(stage.name, stage.given, variants, findings, stage.glue)

    return compile_stages(planned, compile_one)


def with_samples(
    stages: Sequence[ModelStage], arguments: PackArguments, progress: ProgressReporter
) -> list[ModelStage]:
    """Return the stages with their samples: inputs of later stages are the outputs of earlier ones.

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
    loaded = with_memoized_original(variant.loaded)
    match = with_prompts(variant.compiled.match, path, arguments.prompts)
    compiled = msgspec.structs.replace(variant.compiled, match=match)
    with prefix_errors(variant.name):
        own = default_sample_folder(match)
        collected = collect_samples(path, arguments.samples, variant.single_inputs, loaded.ranges, own)
        samples = attach_prompts(match, collected)
        samples, notes = replace_nan_inputs(loaded.original, samples, compiled.postprocess, seek_signal=True)
    warnings = padding_warnings(match, loaded, samples)
    compiled = msgspec.structs.replace(compiled, warnings=(*compiled.warnings, *warnings))
    progress.print_lines([*notes, *(f"warning: {each}" for each in warnings)])
    return msgspec.structs.replace(variant, loaded=loaded, compiled=compiled, samples=samples)


def prove_stage(
    stage: ModelStage,
    folder: Path,
    arguments: PackArguments,
    options: PackOptions,
    target: Target,
    progress: ProgressReporter,
) -> list[ProvenGraphs]:
    """Write the graphs of a stage, prove them for each variant, and print the result.

    Raises:
        WebbuildError: what `prove_graphs` raises.
    """
    reduction = ReductionOptions(
        weights=arguments.weights,
        precision=arguments.precision,
        budget=options.budget,
        table=find_table(target),
        browser=not arguments.no_verify,
        may_stay=bool(stage.name),
    )
    proven = prove_graphs(stage.variants, folder, progress, reduction)
    for variant, of_variant in zip(stage.variants, proven, strict=True):
        progress.print_lines(proven_lines(of_variant, variant))
    return proven


def _overrides(overrides: Overrides, stage: PlannedStage, at: int, count: int) -> Overrides:
    """Return the overrides of a stage: picture options apply to the first stage, labels to the last."""
    if count == 1:
        return overrides
    if stage.task is not None:
        overrides = msgspec.structs.replace(overrides, guess_pictures=False)
    if at > 0:
        overrides = msgspec.structs.replace(overrides, image={}, letterbox={}, note="", guess_pictures=False)
    return overrides if at == count - 1 else msgspec.structs.replace(overrides, labels=None)
