"""Samples of each stage from the outputs of earlier stages, and the feeds of a whole pipeline."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import msgspec
from numpy.typing import NDArray

from webbuild.compile.compile_model import CompiledModel
from webbuild.compile.line_padding import padded_line_warnings
from webbuild.compile.load_model import with_memoized_original
from webbuild.compile.model_variant import ModelVariant, prefix_errors
from webbuild.compile.stages.model_stage import ModelStage
from webbuild.equivalence.check import reference_outputs, run_context
from webbuild.equivalence.nan_inputs import replace_nan_inputs
from webbuild.preprocess.crop_box import CropBox
from webbuild.runners.chain import chain_feeds
from webbuild.runners.tensors import Tensors
from webbuild.samples.point_prompts import attach_point_prompts
from webbuild.samples.sample import Sample
from webbuild.samples.stage_samples import Answers, stage_samples
from webbuild.tasks.decoding.crop_boxes import crop_boxes
from webbuild.tasks.registry import decode_task, kind_of


def with_later_samples(stages: Sequence[ModelStage], print_lines: Callable[[Sequence[str]], None]) -> list[ModelStage]:
    """Return the stages with samples for later stages, from the outputs of earlier originals.

    The originals memoize their outputs, because the proofs run the same inputs. `print_lines` receives notes on redrawn
    random inputs.
    """
    first = _with_memoized_original(stages[0])
    answers: dict[str, Answers] = {sample.name: {} for sample in first.variants[0].samples}
    boxes_by_sample: dict[str, Sequence[CropBox]] = {}
    done = [first]
    for stage in stages[1:]:
        before = done[-1]
        for sample in before.variants[0].samples:
            outputs = reference_outputs(
                before.loaded.original, sample.feeds, before.compiled.postprocess, exported_thresholds(before.compiled)
            )
            answers[sample.name] = {**answers[sample.name], **{(before.name, name): a for name, a in outputs.items()}}
            if kind_of(before.compiled.match.task).has_detections:
                context = run_context(sample, exported_thresholds(before.compiled))
                task = before.compiled.match.task
                boxes_by_sample[sample.name] = crop_boxes(task, decode_task(task, outputs, context))
        before.loaded.original.close()
        stage = _with_memoized_original(stage)
        variants = [
            _with_samples(each, first.variants[0].samples, answers, boxes_by_sample, print_lines)
            for each in stage.variants
        ]
        variants = _with_padding_warnings(variants, boxes_by_sample, print_lines)
        done.append(msgspec.structs.replace(stage, variants=variants))
    return done


def _with_memoized_original(stage: ModelStage) -> ModelStage:
    """Return a stage with a memoizing original."""
    original = with_memoized_original(stage.loaded).original
    variants = [
        msgspec.structs.replace(each, loaded=msgspec.structs.replace(each.loaded, original=original))
        for each in stage.variants
    ]
    return msgspec.structs.replace(stage, variants=variants)


def _with_samples(
    variant: ModelVariant,
    samples: Sequence[Sample],
    answers: Mapping[str, Answers],
    boxes_by_sample: Mapping[str, Sequence[CropBox]],
    print_lines: Callable[[Sequence[str]], None],
) -> ModelVariant:
    loaded, compiled = variant.loaded, variant.compiled
    with prefix_errors(variant.name):
        stage_inputs = stage_samples(samples, answers, variant.single_inputs, loaded.ranges, boxes_by_sample)
        stage_inputs = attach_point_prompts(compiled.match, stage_inputs)
        stage_inputs, notes = replace_nan_inputs(loaded.original, stage_inputs, compiled.postprocess)
    print_lines(notes)
    return msgspec.structs.replace(variant, samples=stage_inputs)


def _with_padding_warnings(
    variants: Sequence[ModelVariant],
    boxes_by_sample: Mapping[str, Sequence[CropBox]],
    print_lines: Callable[[Sequence[str]], None],
) -> list[ModelVariant]:
    first, *others = variants
    warnings = padded_line_warnings(variants, boxes_by_sample)
    print_lines([f"warning: {each}" for each in warnings])
    compiled = msgspec.structs.replace(first.compiled, warnings=(*first.compiled.warnings, *warnings))
    return [msgspec.structs.replace(first, compiled=compiled), *others]


def exported_thresholds(compiled: CompiledModel) -> dict[str, float]:
    """Return the exported thresholds of a model, by option."""
    task = compiled.match.task
    return {**{each.option: each.default for each in compiled.options}, **kind_of(task).default_thresholds(task)}


def samples_of_chain(stages: Sequence[ModelStage]) -> Iterator[tuple[Sample, Sample, Tensors]]:
    """Yield for each sample the first stage's sample, the last stage's sample, and the feeds of all stages."""
    for at_once in zip(*(stage.variants[0].samples for stage in stages), strict=True):
        feeds: dict[str, NDArray[Any]] = {}
        for stage, sample in zip(stages, at_once, strict=True):
            feeds |= chain_feeds(stage.name, stage.compiled.match.inputs, sample.feeds)
        yield at_once[0], at_once[-1], feeds
