"""Reference of a pipeline: the chain of all stages of a bundle on native ONNX Runtime."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from webbuild.compare.comparison import Comparison
from webbuild.equivalence.answer import Answer
from webbuild.equivalence.compare_runs import Reference, RunInput
from webbuild.equivalence.crop_chain import ChainStage, crop_answer, crop_thresholds
from webbuild.equivalence.exact_inputs import exact_in_chain, run_input
from webbuild.runners.chain import ALL_STAGES, chain_feeds, perturbing_all, run_chain
from webbuild.runners.memoized import MemoizedRunner
from webbuild.runners.tensors import Tensors
from webbuild.verify.bundle import Bundle
from webbuild.verify.glue import RunGlue
from webbuild.verify.inputs import VerifyInput
from webbuild.verify.pipeline_graphs import pipeline_names
from webbuild.verify.pipeline_prompts import PromptedStage
from webbuild.verify.reference import policy_of, thresholds_of
from webbuild.verify.stage_reference import compute_stage_reference, first_variants
from webbuild.verify.variant_reference import VariantReference


def compute_pipeline_references(
    bundle: Bundle,
    references: Sequence[VariantReference],
    backends: Sequence[str],
    precision: str,
    run_glue: RunGlue | None = None,
) -> Iterator[VariantReference]:
    """Yield the references of all stages together, for each picture size of the first stage.

    The later stages take the first stage's outputs at that size.

    Raises:
        WebbuildError: `reference-run-failed`.
    """
    first, *later = first_variants(references)
    last = later[-1]
    others = [each for each in references if each.bundle.stage == last.bundle.stage and each is not last]
    for sized in (each for each in references if each.bundle.stage == first.bundle.stage):
        stages = [sized]
        for each in later:
            stages.append(each if sized is first else compute_stage_reference(each.bundle, (), stages, run_glue))
        graphs = [stages[-1], *(each for each in others if each.bundle.batch == 1)]
        pipeline = _compute_pipeline_reference(bundle, stages, graphs, backends, precision)
        problems = () if sized is first else tuple(problem for each in stages for problem in each.problems)
        yield msgspec.structs.replace(pipeline, problems=problems, names=() if problems else pipeline.names)


def _compute_pipeline_reference(
    bundle: Bundle,
    stages: Sequence[VariantReference],
    graphs: Sequence[VariantReference],
    backends: Sequence[str],
    precision: str,
) -> VariantReference:
    """Compute the reference of all stages together: each stage takes the outputs of earlier ones.

    With crops, the result is the detections in all crops. If the last stage takes clicks, each picture gets several
    prompts; `graphs` are the last stage's graphs.
    """
    stages = [_memoized(each) for each in stages]
    *earlier, last = stages
    first = stages[0].bundle
    pipeline = Bundle(
        bundle.directory,
        last.bundle.manifest,
        f"{ALL_STAGES} {first.variant.removeprefix(first.stage).strip()}".rstrip(),
        stage=last.bundle.stage,
        all_stages=tuple(each.bundle for each in stages),
        size=first.size,
    )
    chain = [(each.bundle.stage, each.bundle.manifest.inputs, each.runner.run) for each in stages]
    prompted = PromptedStage(chain[:-1], graphs)
    inputs = [each for index in range(len(last.inputs)) for each in _inputs(stages, prompted, index)]
    outputs = [spec.name for spec in last.bundle.manifest.outputs]

    looking = _crop_chain(stages, graphs[1:]) if pipeline.looks_at_crops else []

    def run(one_input: RunInput) -> Tensors | Answer:
        if looking and one_input.context.picture_file is not None:
            return crop_answer(looking, one_input)
        feeds, points = {**one_input.feeds, **one_input.fixed}, one_input.context.points
        answered = run_chain(chain, feeds) if points is None else prompted.run(feeds, points)
        return {name: answered[name] for name in outputs}

    exact = exact_in_chain((each.bundle.stage, each.bundle.manifest.inputs) for each in [*stages, *graphs])
    known = thresholds_of(last.bundle.manifest)
    if looking:
        known = msgspec.structs.replace(known, thresholds=crop_thresholds(looking))
    runs = [
        run_input(
            each.title,
            each.feeds,
            exact,
            msgspec.structs.replace(known, placement=each.placement, picture_file=each.file, points=each.points),
        )
        for each in inputs
    ]
    task = last.bundle.manifest.task
    perturbing = perturbing_all([*(each.runner for each in earlier), *(each.runner for each in graphs)])
    reference = Reference(run, runs, task, policy_of(last.bundle, "native"), perturbing)
    names = pipeline_names(pipeline, backends, precision)
    return VariantReference(pipeline, names, last.runner, reference, inputs, stages[0].more, list[Comparison]())


def _crop_chain(stages: Sequence[VariantReference], wider: Sequence[VariantReference]) -> list[ChainStage]:
    """Return the stages as a chain with a last crop stage, which has further graphs for `wider` lines."""
    widths = [(each.bundle.manifest.inputs, each.runner.run) for each in wider]
    return [
        ChainStage(
            each.bundle.stage,
            each.bundle.manifest.task,
            each.bundle.manifest.inputs,
            each.runner.run,
            thresholds_of(each.bundle.manifest).thresholds,
            widths if each is stages[-1] else (),
        )
        for each in stages
    ]


def _memoized(reference: VariantReference) -> VariantReference:
    """Return the reference with a memoized runner, because several prompts share one picture."""
    return msgspec.structs.replace(reference, runner=MemoizedRunner(reference.runner))


def _inputs(stages: Sequence[VariantReference], prompted: PromptedStage, index: int) -> list[VerifyInput]:
    """Return the inputs for a sample: one for each prompt, or a single one without prompts."""
    verify_input = stages[0].inputs[index]
    feeds = {
        name: array
        for each in stages
        for name, array in chain_feeds(each.bundle.stage, each.bundle.manifest.inputs, each.inputs[index].feeds).items()
    }
    alone = VerifyInput(verify_input.title, feeds, verify_input.file, verify_input.placement, stack=verify_input.stack)
    prompted_inputs = [] if verify_input.file is None else list(prompted.prompts_for(alone, index))
    return prompted_inputs or [alone]
