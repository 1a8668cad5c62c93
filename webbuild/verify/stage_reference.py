"""Reference of a later stage on native ONNX Runtime: its inputs are the outputs of earlier stages."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from webbuild.errors import USAGE, WebbuildError
from webbuild.manifest.stages import crop_input, stage_inputs
from webbuild.manifest.variant_names import picture_sizes
from webbuild.runners.tensors import Tensors
from webbuild.samples.point_prompts import point_prompt_of
from webbuild.samples.stage_samples import stage_picture
from webbuild.tasks.decoding.crop_boxes import crop_boxes
from webbuild.tasks.options.picture_sizes import PictureSize
from webbuild.tasks.registry import kind_of
from webbuild.tasks.task_match import TaskMatch
from webbuild.verify.bundle import Bundle
from webbuild.verify.glue import RunGlue
from webbuild.verify.golden_reader import read_golden
from webbuild.verify.inputs import VerifyInput, collect_inputs, option_feeds, random_input
from webbuild.verify.reference import check_golden_run, reference_runner, run_reference
from webbuild.verify.variant_reference import VariantReference


def first_variants(references: Sequence[VariantReference]) -> list[VariantReference]:
    """Return the first variant of each stage."""
    first_by_stage = {each.bundle.stage: each for each in reversed(references) if not each.bundle.all_stages}
    return [
        first_by_stage[name]
        for name in dict.fromkeys(each.bundle.stage for each in references)
        if name in first_by_stage
    ]


def compute_stage_reference(
    bundle: Bundle, names: Sequence[str], earlier: Sequence[VariantReference], run_glue: RunGlue | None = None
) -> VariantReference:
    """Compute the reference of a stage from the outputs of earlier stages and of its module.

    Raises:
        WebbuildError: `reference-session-failed`, `reference-run-failed`, `invalid-golden`.
    """
    inputs: Sequence[VerifyInput] = later_inputs(bundle, earlier)
    inputs, problems = (inputs, ()) if run_glue is None else run_glue(bundle, inputs, earlier)
    return msgspec.structs.replace(_answered(bundle, names, inputs, earlier[0].more), problems=problems)


def _answered(
    bundle: Bundle, names: Sequence[str], inputs: Sequence[VerifyInput], more: Sequence[Path] = ()
) -> VariantReference:
    runner = reference_runner(bundle)
    reference = run_reference(bundle, runner, inputs)
    return VariantReference(bundle, names, runner, reference, inputs, more, check_golden_run(bundle, runner))


def inputs_of_stage(
    bundle: Bundle, stage: str, files: Sequence[Path], size: PictureSize | None = None
) -> tuple[Bundle, Sequence[VerifyInput]]:
    """Return a stage (the first if `stage` is empty) and its inputs: the outputs of earlier stages on the samples.

    Pictures have the `size`, None for the bundle's first size.

    Raises:
        WebbuildError: `unknown-stage`, `invalid-size`, and what `collect_inputs` raises.
    """
    firsts = list({each.stage: each for each in reversed(_at_size(bundle, size))}.values())[::-1]
    if stage and stage not in (names := [each.stage for each in firsts if each.stage]):
        raise WebbuildError(
            "unknown-stage",
            f"{bundle.directory}: has no stage {stage}"
            if names
            else f"{bundle.directory}: has one stage, without a name",
            f"name one of {', '.join(names)}" if names else "leave --stage out",
            exit_code=USAGE,
        )
    references: list[VariantReference] = []
    for each in firsts:
        inputs = later_inputs(each, references) if takes_earlier(each) else collect_inputs(each, files)
        if each.stage == stage or not stage:
            return each, inputs
        references.append(_answered(each, (), inputs))
    raise AssertionError(stage)


def _at_size(bundle: Bundle, size: PictureSize | None) -> list[Bundle]:
    """Return the variants of all stages; of the first stage, only those for pictures of a size."""
    first = bundle.manifest.every_stage[0]
    sizes = [PictureSize(*each) for each in picture_sizes(first)]
    if size is None:
        return bundle.variants
    if size not in sizes:
        raise WebbuildError(
            "invalid-size",
            f"{bundle.directory}: is not packed for pictures of {size.name}",
            f"give --size {' or '.join(each.name for each in sizes)}" if sizes else "leave --size out: it takes none",
            exit_code=USAGE,
        )
    return [each for each in bundle.variants if each.size in (None, (size.width, size.height))]


def takes_earlier(bundle: Bundle) -> bool:
    """Whether a stage takes tensors of earlier stages, or crops of their boxes, or has a module."""
    joined = stage_inputs(bundle.manifest.inputs) or bundle.glue
    return bool(joined or (bundle.stage and crop_input(bundle.manifest.inputs)))


def later_inputs(bundle: Bundle, earlier: Sequence[VariantReference]) -> list[VerifyInput]:
    """Return the inputs of a stage: the outputs of the references of earlier stages.

    A crop is cut around the best box of an earlier stage, and clicks are in the picture. Other inputs come from the
    golden run, so that they are realistic; without one they are random.

    Raises:
        WebbuildError: `invalid-golden`.
    """
    earlier = [each for each in earlier if each.bundle.stage != bundle.stage]  # may include this stage's first variant
    recorded, first = read_golden(bundle), earlier[0]
    match = TaskMatch(bundle.manifest.task, tuple(bundle.manifest.inputs), ())
    inputs = []
    for index, verify_input in enumerate(first.inputs):
        earlier_outputs = {
            (each.bundle.stage, name): array for each in earlier for name, array in _answer(each, index).items()
        }
        joined = {each.name: earlier_outputs[each.stage, each.output] for each in stage_inputs(bundle.manifest.inputs)}
        others = random_input(bundle.manifest, index).feeds if recorded is None else recorded[0]
        feeds = {**others, **option_feeds(bundle.manifest), **joined}
        placement = verify_input.placement
        if (pointed := point_prompt_of(match, placement, index)) is not None:
            feeds |= pointed[1]
        if (crop := crop_input(bundle.manifest.inputs)) is not None and verify_input.file is not None:
            finder = next(each for each in reversed(earlier) if kind_of(each.bundle.manifest.task).has_detections)
            boxes = crop_boxes(finder.bundle.manifest.task, finder.reference.answers[index].prediction)
            feeds[crop.name], placement = stage_picture(verify_input.file, crop, boxes)
        inputs.append(VerifyInput(verify_input.title, feeds, placement=placement))
    return inputs


def _answer(reference: VariantReference, index: int) -> Tensors:
    return reference.reference.answers[index].outputs
