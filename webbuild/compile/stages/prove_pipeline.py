"""End-to-end proof of a pipeline: the chain of patched stages against the chain of originals."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path

import msgspec
import numpy as np
from msgspec import Struct

from webbuild.compare.comparison import Comparison
from webbuild.compile.prove import ProvenGraphs
from webbuild.compile.stages.model_stage import ModelStage
from webbuild.compile.stages.samples import exported_thresholds, samples_of_chain
from webbuild.equivalence.answer import Answer
from webbuild.equivalence.check import reference_outputs, run_context
from webbuild.equivalence.compare_runs import Reference, RunInput, compare_runs
from webbuild.equivalence.crop_chain import ChainStage, crop_answer, crop_thresholds
from webbuild.equivalence.exact_inputs import exact_in_chain, run_input
from webbuild.equivalence.policy import EXACT, Policy, is_exported_in_float16, native_policy
from webbuild.equivalence.verdict import require_equivalent
from webbuild.errors import WebbuildError
from webbuild.manifest.manifest import Graph
from webbuild.runners.chain import ALL_STAGES, RunStage, perturbing_all, run_chain
from webbuild.runners.native import NativeRunner
from webbuild.runners.tensors import Tensors
from webbuild.tasks.decoding.detection import Detection

SampleDetections = dict[str, dict[str, Sequence[Detection]]]
"""By sample, then by runner."""


class PipelineProof(Struct, frozen=True):
    """The comparisons of the whole chain, and for a last crop stage the detections in all crops of a picture."""

    comparisons: list[Comparison]
    detections: SampleDetections = {}


def prove_stages(stages: Sequence[ModelStage], proven: Sequence[Sequence[ProvenGraphs]], folder: Path) -> PipelineProof:
    """Compare the chain of originals with the chain of patched graphs on the samples.

    A stage's own proof feeds it the outputs of earlier originals. Here it gets the outputs of earlier graphs, so that
    differences add up as in the browser. A last crop stage runs on the boxes that the graphs find.

    Args:
        stages: the stages in order, with one variant each; a text recognizer has one for each width.
        proven: the graphs of each variant of each stage.
        folder: the folder of the graphs' files.

    Returns:
        The comparisons of the last stage's outputs, or of its predictions for all crops.

    Raises:
        WebbuildError: `output-mismatch`, `vacuous-comparison`.
    """
    originals = [_chain_stage(each, [_original(each)] * len(each.variants)) for each in stages]
    crops = _found_crops(stages)
    run = _run_on_crops if crops else _run_whole
    values = crop_thresholds(originals) if crops else originals[-1].thresholds
    exact = exact_in_chain((each.name, each.inputs) for each in originals)
    inputs = [
        run_input(last.name, feeds, exact, run_context(first if crops else last, values))
        for first, last, feeds in samples_of_chain(stages)
    ]
    reference = Reference(
        lambda run_input: run(originals, run_input),
        inputs,
        originals[-1].task,
        _crop_policy(EXACT) if crops else EXACT,
        perturbing_all([each.loaded.original for each in stages]),
    )
    with ExitStack() as opened:
        for each in stages:
            opened.callback(each.loaded.original.close)
        comparisons: list[Comparison] = []
        answers = {"native": reference.answers}
        for name, graphs in _chains(proven):
            graph_answers: Iterable[Answer] = _answers(stages, graphs, folder, reference, run)
            if crops:
                graph_answers = answers[graphs[-1][0].target] = list(graph_answers)
            policy = _policy(graphs, proven)
            comparisons += compare_runs(reference, name, graph_answers, _crop_policy(policy) if crops else policy)
    try:
        require_equivalent(comparisons)
    except WebbuildError as error:
        option = _smaller_by([graph for of_stage in proven for each in of_stage for graph in each.graphs])
        if error.code != "output-mismatch" or not option:
            raise
        fix = f"each stage alone is within tolerance, but the differences add up: leave {option} out"
        raise WebbuildError(error.code, error.message, fix) from error
    return PipelineProof(comparisons, _detections(reference, answers) if crops else {})


def _detections(reference: Reference, answers: Mapping[str, Sequence[Answer]]) -> SampleDetections:
    return {
        run_input.name: {runner: of_runner[at].detections for runner, of_runner in answers.items()}
        for at, run_input in enumerate(reference.inputs)
    }


def _smaller_by(graphs: Sequence[Graph]) -> str:
    """Return the option that made graphs smaller, empty if none did."""
    if any(graph.weight_dtype == "int8" for graph in graphs):
        return "--weight-dtype int8"
    return "--precision" if any(graph.precision != "fp32" for graph in graphs) else ""


def _found_crops(stages: Sequence[ModelStage]) -> bool:
    """Whether the last stage runs on crops of boxes that the originals find in at least one sample.

    Without any box it is compared on whole pictures, because empty outputs prove nothing.
    """
    placements = (sample.placement for sample in stages[-1].variants[0].samples)
    return any(placement is not None and placement.crops for placement in placements)


def _chain_stage(stage: ModelStage, runs: Sequence[RunStage]) -> ChainStage:
    """Return a stage with the runners of its variants."""
    task, thresholds = stage.compiled.match.task, exported_thresholds(stage.compiled)
    inputs = [each.single_inputs for each in stage.variants]
    (first, run), *widths = zip(inputs, runs, strict=True)
    return ChainStage(stage.name, task, first, run, thresholds, widths)


def _run_whole(chain: Sequence[ChainStage], run_input: RunInput) -> Tensors | Answer:
    return run_chain([each.link for each in chain], {**run_input.feeds, **run_input.fixed})


def _run_on_crops(chain: Sequence[ChainStage], run_input: RunInput) -> Tensors | Answer:
    is_picture = run_input.context.picture_file is not None
    return crop_answer(chain, run_input) if is_picture else _run_whole(chain, run_input)


def _crop_policy(policy: Policy) -> Policy:
    """Return the policy with which outputs of crops are compared: as predictions."""
    return msgspec.structs.replace(policy, predictions="all")


def _original(stage: ModelStage) -> Callable[[Tensors], Tensors]:
    compiled, original = stage.compiled, stage.loaded.original
    return lambda feeds: reference_outputs(original, feeds, compiled.postprocess, exported_thresholds(compiled))


def _chains(proven: Sequence[Sequence[ProvenGraphs]]) -> Iterator[tuple[str, list[list[Graph]]]]:
    """Yield the graphs that run together for WebGPU and WASM: at exported precision, then at reduced precision.

    A graph with a fallback is replaced by the fallback: the stage's own proof covers when it falls back.
    """
    for target in ("webgpu", "wasm"):
        chains = [[_on_target(each, target) for each in of_stage] for of_stage in proven]
        best = [[graphs[0] for graphs in of_stage] for of_stage in chains]
        yield f"{target} {ALL_STAGES}", [[graphs[-1] for graphs in of_stage] for of_stage in chains]
        if any(graph.precision != "fp32" for of_stage in best for graph in of_stage):
            yield f"{target} reduced {ALL_STAGES}", best


def _on_target(proven: ProvenGraphs, target: str) -> list[Graph]:
    graphs = [graph for graph in proven.graphs if graph.target == target and graph.head_status is None]
    return graphs or [graph for graph in proven.graphs if graph.target == "wasm"]


def _answers(
    stages: Sequence[ModelStage],
    graphs: Sequence[Sequence[Graph]],
    folder: Path,
    reference: Reference,
    run: Callable[[Sequence[ChainStage], RunInput], Tensors | Answer],
) -> Iterator[Answer]:
    with ExitStack() as opened:

        def runner(graph: Graph) -> NativeRunner:
            return opened.enter_context(closing(NativeRunner(folder / graph.file)))

        chain = [
            _chain_stage(stage, [_with_thresholds(stage, runner(graph)) for graph in of_stage])
            for stage, of_stage in zip(stages, graphs, strict=True)
        ]
        for run_input, want in zip(reference.inputs, reference.answers, strict=True):
            got = run(chain, run_input)
            yield got if isinstance(got, Answer) else replace(want, outputs=got)


def _with_thresholds(stage: ModelStage, runner: NativeRunner) -> Callable[[Tensors], Tensors]:
    values = {each.name: np.array([each.default], np.float32) for each in stage.compiled.options}
    return lambda feeds: runner.run({**feeds, **values})


def _policy(graphs: Sequence[Sequence[Graph]], proven: Sequence[Sequence[ProvenGraphs]]) -> Policy:
    """Return the policy with the widest tolerance of all graphs that run together.

    Only the WebGPU graphs show whether the original computes in float16: WASM graphs are always float32.
    """
    every = [graph for of_stage in proven for each in of_stage for graph in each.graphs]
    float16 = any(is_exported_in_float16(graph) for graph in every)
    policies = (native_policy(each, float16=float16) for of_stage in graphs for each in of_stage)
    return max(policies, key=lambda policy: policy.tolerance.relative)
