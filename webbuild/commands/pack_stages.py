"""The compiled stages of `webbuild pack` get samples, and are proven."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from webbuild.commands.options.pack import PackArguments
from webbuild.commands.pack_messages import proven_lines
from webbuild.commands.pack_plan import PackOptions
from webbuild.compile.line_padding import padding_warnings
from webbuild.compile.load_model import with_memoized_original
from webbuild.compile.model_variant import ModelVariant, prefix_errors
from webbuild.compile.prove import ProvenGraphs, prove_graphs
from webbuild.compile.reduction_options import ReductionOptions
from webbuild.compile.stages.model_stage import ModelStage
from webbuild.compile.stages.samples import with_later_samples
from webbuild.equivalence.nan_inputs import replace_nan_inputs
from webbuild.reporting.progress import ProgressReporter
from webbuild.samples.collect import collect_samples, default_sample_folder
from webbuild.samples.prompts import attach_prompts, with_prompts
from webbuild.targets.table import find_table
from webbuild.targets.target import Target


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
