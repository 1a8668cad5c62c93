"""The proof: original against patched on native ONNX Runtime, before anything is emitted."""

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
    """The result of the proof: comparisons of all graphs with the original on all samples, and their predictions.

    `detections` are by sample and runner, at `thresholds`. `classes` are the original's, by sample; empty unless the
    task is to classify. `outputs` are those of the graph for WASM, by sample.
    """

    comparisons: list[Comparison]
    detections: dict[str, dict[str, Sequence[Detection]]]
    classes: dict[str, Sequence[ClassScore]]
    thresholds: dict[str, float]
    outputs: dict[str, Tensors]


def check_equivalence(
    original: NativeRunner,
    graphs: Sequence[Graph],
    folder: Path,
    task: Task,
    options: Sequence[OptionInput],
    samples: Sequence[Sample],
    *,
    postprocess: Postprocess | None = None,
    confidence: float | None = None,
    open_graph: Callable[[Path], NativeRunner] = NativeRunner,
    states: Sequence[StateInput] = (),
    exact: Collection[str] = (),
) -> EquivalenceResult:
    """Run every sample through the original and every graph in `folder`, and judge each output.

    Native ONNX Runtime, optimisations disabled. The `postprocess` that the original lacks is computed in NumPy.
    Thresholds are the exported ones, unless `confidence` is given: then `original` takes thresholds as inputs
    too, or has none. `open_graph` makes a runner of a graph's file. `states` go from step to step of a sequence; a
    difference in them adds to the next, in the noise floor too. `exact` inputs are not perturbed for that.
    """
    values: dict[str, float] = {option.option: option.default for option in options}
    values |= kind_of(task).default_thresholds(task)
    if confidence is not None:
        values["confidence"] = confidence
    thresholds = {option.name: np.array([values[option.option]], np.float32) for option in options}
    unknown = {} if confidence is not None and postprocess is None else thresholds

    in_turn = StatefulRuns(lambda feeds: reference_outputs(original, feeds, postprocess, values), states)

    def run_reference(one_input: RunInput) -> Tensors:
        feeds = {name: a for name, a in {**one_input.feeds, **one_input.fixed}.items() if name not in unknown}
        outputs = in_turn(feeds, continues=one_input.continues)
        return _pad_to_shapes(outputs, original, graphs)

    inputs = [
        run_input(
            each.name,
            {**each.feeds, **thresholds},
            {*exact, *thresholds},
            run_context(each, values),
            continues=each.continues,
        )
        for each in samples
    ]
    reference = Reference(run_reference, inputs, task, EXACT, original.perturbed)
    original.close()
    names = [each.name for each in inputs]
    native = {name: want.detections for name, want in zip(names, reference.answers, strict=True)}
    detections: dict[str, dict[str, Sequence[Detection]]] = {"native": native}
    float16, rounded = any(map(is_exported_in_float16, graphs)), rounded_outputs(original.path)
    fallbacks = [graph.head_status.fallback for graph in graphs if graph.head_status is not None]
    comparisons: dict[str, list[Comparison]] = {}
    outputs: dict[str, Tensors] = {}
    sequences = {each.name: each.sequence for each in samples if each.sequence}
    for graph in sorted(graphs, key=lambda graph: graph.target not in fallbacks):
        fallback = "" if graph.head_status is None else graph.head_status.fallback
        seen = detections[graph.target] = dict(detections.get(fallback, {}))
        runner = open_graph(folder / graph.file)
        answers = _run_graph(graph, runner, states, reference, seen, outputs if graph.target == "wasm" else None)
        comparisons[graph.target] = compare_runs(
            reference,
            graph.name,
            answers,
            native_policy(graph, float16=float16, rounded=rounded),
            comparisons.get(fallback, ()),
        )
    original.close()
    return EquivalenceResult(
        merge_steps([each for graph in graphs for each in comparisons[graph.target]], sequences),
        {name: {runner: by_sample[name] for runner, by_sample in detections.items()} for name in names},
        {name: want.classes for name, want in zip(names, reference.answers, strict=True)},
        values,
        outputs,
    )


def _run_graph(
    graph: Graph,
    runner: NativeRunner,
    states: Sequence[StateInput],
    reference: Reference,
    detections: dict[str, Sequence[Detection]],
    outputs: dict[str, Tensors] | None,
) -> Iterator[Answer | None]:
    """Yield a graph's answers, None where it asks for its fallback; note its detections and outputs by sample."""
    in_turn = StatefulRuns(runner.run, states)
    for one_input, want in zip(reference.inputs, reference.answers, strict=True):
        answer = replace(want, outputs=in_turn({**one_input.feeds, **one_input.fixed}, continues=one_input.continues))
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
    """Return the original's outputs, post-processed if the export lacks that, at the thresholds `values`, by option."""
    original_feeds = add_constant_masks(postprocess, feeds)
    outputs = _float64_to_float32(run_original(original, original_feeds))
    return outputs if postprocess is None else apply_reference_postprocess(postprocess, outputs, original_feeds, values)


def run_original(original: NativeRunner, feeds: Tensors) -> Tensors:
    """Return the outputs of the original, after casting the feeds to the types of its inputs."""
    return original.run({name: array.astype(original.input_dtypes[name]) for name, array in feeds.items()})


def _pad_to_shapes(outputs: Tensors, original: NativeRunner, graphs: Sequence[Graph]) -> Tensors:
    """Return the original's outputs in the shapes that the graphs give them."""
    fixed = {output.name: output.shape for output in graphs[0].outputs} if graphs else {}
    return {name: _pad_rows(a, original.output_shapes.get(name, ()), fixed.get(name)) for name, a in outputs.items()}


def _float64_to_float32(outputs: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """Return outputs as a browser can hold them: float64 as float32."""
    return {name: a.astype(np.float32) if a.dtype == np.float64 else a for name, a in outputs.items()}


def _pad_rows(array: NDArray[Any], declared: Sequence[int | str | None], fixed: Sequence[int] | None) -> NDArray[Any]:
    """Return the original's rows, as many as the data decided, and zeros up to what the patched graph has fixed for."""
    if fixed is None or not len(fixed) == len(declared) == array.ndim:
        return array
    missing = [target - size for target, size in zip(fixed, array.shape, strict=True)]
    free = [axis for axis, more in enumerate(missing) if more > 0 and not isinstance(declared[axis], int)]
    fits = len(free) == 1 and sum(map(abs, missing)) == missing[free[0]]
    return np.pad(array, [(0, more) for more in missing]) if fits else array


def run_context(sample: Sample, thresholds: Mapping[str, float]) -> RunContext:
    """Return what a sample is decoded with; `thresholds` by option."""
    return RunContext(
        sample.placement,
        thresholds,
        sample.prompt,
        picture_file=sample.image_file,
        hole=sample.hole,
        points=sample.points,
    )
