"""Equivalence proof: the original against the patched graphs on native ONNX Runtime, before a bundle is written."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from webbuild.compare.comparison import Comparison
from webbuild.equivalence.answer import Answer
from webbuild.equivalence.compare_runs import Reference, RunInput, compare_runs
from webbuild.equivalence.exact_inputs import run_input
from webbuild.equivalence.policy import EXACT, is_exported_in_float16, native_policy
from webbuild.equivalence.sequences import merge_steps
from webbuild.manifest.detection_head_status import fallback_reason
from webbuild.manifest.manifest import Graph, OptionInput, StateInput, Task
from webbuild.model.traversal import rounded_outputs
from webbuild.postprocess.postprocess import Postprocess
from webbuild.postprocess.reference import add_constant_masks, apply_reference_postprocess
from webbuild.runners.native import NativeRunner
from webbuild.runners.stateful import StatefulRuns
from webbuild.runners.tensors import Tensors
from webbuild.samples.sample import Sample
from webbuild.tasks.decoding.class_scores import ClassScore
from webbuild.tasks.decoding.detection import Detection
from webbuild.tasks.registry import kind_of
from webbuild.tasks.run_context import RunContext


class EquivalenceResult(Struct, frozen=True):
    """Result of the proof: comparisons of all graphs with the original on all samples, and the predictions.

    `detections` are by sample and runner, at `thresholds`. `classes` are the original's by sample, empty unless the
    task is `classify`. `outputs` are the WASM graph's, by sample.
    """

    comparisons: list[Comparison]
    detections: dict[str, dict[str, Sequence[Detection]]]
    classes: dict[str, Sequence[ClassScore]]
    thresholds: dict[str, float]
    outputs: dict[str, Tensors]


class ComparedModel(Struct, frozen=True):
    """An original model, as the proof of its graphs needs it.

    Attributes:
        original: runs the original.
        task: the task; its metrics compare predictions.
        options: the threshold inputs of the patched graphs.
        postprocess: the post-processing that the original lacks; it runs in NumPy.
        states: the states that a sequence carries from step to step, also in perturbed runs: differences add up.
        exact: inputs that are not perturbed for the noise floor.
    """

    original: NativeRunner
    task: Task
    options: Sequence[OptionInput] = ()
    postprocess: Postprocess | None = None
    states: Sequence[StateInput] = ()
    exact: Collection[str] = ()


def check_equivalence(
    model: ComparedModel,
    graphs: Sequence[Graph],
    folder: Path,
    samples: Sequence[Sample],
    *,
    confidence: float | None = None,
    open_graph: Callable[[Path], NativeRunner] = NativeRunner,
) -> EquivalenceResult:
    """Run every sample through the original and every graph in `folder`, and compare each output.

    All run on native ONNX Runtime with optimizations disabled.

    Args:
        model: the original. With a `confidence`, it must have threshold inputs or no thresholds.
        graphs: the patched graphs.
        folder: the folder of the graphs' files.
        samples: the samples; steps of a sequence in order.
        confidence: a confidence threshold in place of the exported one.
        open_graph: opens the file of a graph.
    """
    original, postprocess = model.original, model.postprocess
    thresholds = _threshold_values(model.task, model.options, confidence)
    threshold_feeds = {option.name: np.array([thresholds[option.option]], np.float32) for option in model.options}
    constant_thresholds = confidence is None or postprocess is not None
    inputs = [
        run_input(
            each.name,
            {**each.feeds, **threshold_feeds},
            {*model.exact, *threshold_feeds},
            run_context(each, thresholds),
            continues=each.continues,
        )
        for each in samples
    ]
    stateful = StatefulRuns(lambda feeds: reference_outputs(original, feeds, postprocess, thresholds), model.states)

    def run_reference(one_input: RunInput) -> Tensors:
        feeds = {**one_input.feeds, **one_input.fixed}
        if constant_thresholds:
            feeds = {name: array for name, array in feeds.items() if name not in threshold_feeds}
        return _pad_to_shapes(stateful(feeds, continues=one_input.continues), original, graphs)

    reference = Reference(run_reference, inputs, model.task, EXACT, original.perturbed)
    original.close()
    results = _compare_graphs(graphs, folder, reference, model.states, open_graph, rounded_outputs(original.path))
    original.close()
    sequences = {each.name: each.sequence for each in samples if each.sequence}
    return EquivalenceResult(
        merge_steps([each for graph in graphs for each in results.comparisons[graph.target]], sequences),
        {
            each.name: {runner: by_sample[each.name] for runner, by_sample in results.detections.items()}
            for each in inputs
        },
        {each.name: answer.classes for each, answer in zip(inputs, reference.answers, strict=True)},
        thresholds,
        results.wasm_outputs,
    )


def _threshold_values(task: Task, options: Sequence[OptionInput], confidence: float | None) -> dict[str, float]:
    """Return the exported thresholds by option, with `confidence`, if given, in place of the exported one."""
    values: dict[str, float] = {option.option: option.default for option in options}
    values |= kind_of(task).default_thresholds(task)
    return values if confidence is None else {**values, "confidence": confidence}


class GraphResults(Struct, frozen=True):
    """Results of the graphs: comparisons by target, detections by runner and sample, WASM outputs by sample."""

    comparisons: dict[str, list[Comparison]]
    detections: dict[str, dict[str, Sequence[Detection]]]
    wasm_outputs: dict[str, Tensors]


def _compare_graphs(
    graphs: Sequence[Graph],
    folder: Path,
    reference: Reference,
    states: Sequence[StateInput],
    open_graph: Callable[[Path], NativeRunner],
    rounded: frozenset[str],
) -> GraphResults:
    """Compare every graph with the reference, fallback graphs first."""
    native = {each.name: answer.detections for each, answer in zip(reference.inputs, reference.answers, strict=True)}
    results = GraphResults({}, {"native": native}, {})
    float16 = any(map(is_exported_in_float16, graphs))
    fallbacks = [graph.head_status.fallback for graph in graphs if graph.head_status is not None]
    for graph in sorted(graphs, key=lambda graph: graph.target not in fallbacks):
        fallback = "" if graph.head_status is None else graph.head_status.fallback
        detections = results.detections[graph.target] = dict(results.detections.get(fallback, {}))
        outputs = results.wasm_outputs if graph.target == "wasm" else None
        answers = _run_graph(graph, open_graph(folder / graph.file), states, reference, detections, outputs)
        policy = native_policy(graph, float16=float16, rounded=rounded)
        fallback_comparisons = results.comparisons.get(fallback, ())
        results.comparisons[graph.target] = compare_runs(reference, graph.name, answers, policy, fallback_comparisons)
    return results


def _run_graph(
    graph: Graph,
    runner: NativeRunner,
    states: Sequence[StateInput],
    reference: Reference,
    detections: dict[str, Sequence[Detection]],
    outputs: dict[str, Tensors] | None,
) -> Iterator[Answer | None]:
    """Yield a graph's answers, None if it falls back; add its detections and outputs by sample to the two dicts."""
    stateful = StatefulRuns(runner.run, states)
    for one_input, want in zip(reference.inputs, reference.answers, strict=True):
        answer = replace(want, outputs=stateful({**one_input.feeds, **one_input.fixed}, continues=one_input.continues))
        if outputs is not None and not one_input.continues:
            outputs[one_input.name] = answer.outputs
        if fallback_reason(graph, answer.outputs) and graph.head_status is not None:
            yield None
        else:
            detections[one_input.name] = answer.detections
            yield answer
    runner.close()


def reference_outputs(
    original: NativeRunner,
    feeds: Mapping[str, NDArray[Any]],
    postprocess: Postprocess | None,
    values: Mapping[str, float],
) -> Mapping[str, NDArray[Any]]:
    """Return the original's outputs, with the `postprocess` that it lacks at the thresholds `values`, by option."""
    original_feeds = add_constant_masks(postprocess, feeds)
    outputs = _float64_to_float32(run_original(original, original_feeds))
    return outputs if postprocess is None else apply_reference_postprocess(postprocess, outputs, original_feeds, values)


def run_original(original: NativeRunner, feeds: Tensors) -> Tensors:
    """Return the outputs of the original, after casting the feeds to the types of its inputs."""
    return original.run({name: array.astype(original.input_dtypes[name]) for name, array in feeds.items()})


def _pad_to_shapes(outputs: Tensors, original: NativeRunner, graphs: Sequence[Graph]) -> Tensors:
    """Return the original's outputs, zero-padded to the fixed shapes of the graphs."""
    fixed = {output.name: output.shape for output in graphs[0].outputs} if graphs else {}
    return {name: _pad_rows(a, original.output_shapes.get(name, ()), fixed.get(name)) for name, a in outputs.items()}


def _float64_to_float32(outputs: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """Return the outputs with float64 cast to float32, which browsers support."""
    return {name: a.astype(np.float32) if a.dtype == np.float64 else a for name, a in outputs.items()}


def _pad_rows(array: NDArray[Any], declared: Sequence[int | str | None], fixed: Sequence[int] | None) -> NDArray[Any]:
    """Pad the one data-dependent axis of an output with zeros to the patched graph's size: [n, c] -> [N, c]."""
    if fixed is None or not len(fixed) == len(declared) == array.ndim:
        return array
    missing = [target - size for target, size in zip(fixed, array.shape, strict=True)]
    free = [axis for axis, more in enumerate(missing) if more > 0 and not isinstance(declared[axis], int)]
    fits = len(free) == 1 and sum(map(abs, missing)) == missing[free[0]]
    return np.pad(array, [(0, more) for more in missing]) if fits else array


def run_context(sample: Sample, thresholds: Mapping[str, float]) -> RunContext:
    """Return the decoding context of a sample, with `thresholds` by option."""
    return RunContext(
        sample.placement,
        thresholds,
        sample.prompt,
        picture_file=sample.image_file,
        hole=sample.hole,
        points=sample.points,
    )
