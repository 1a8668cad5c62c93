"""Proof of a reduced-precision graph: emulated float16 against the outputs of the proven WASM graph."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import msgspec
import numpy as np

from webbuild.equivalence.check import EquivalenceResult, run_context
from webbuild.equivalence.compare_runs import Reference, RunInput, compare_runs
from webbuild.equivalence.policy import native_policy
from webbuild.equivalence.sequences import merge_steps
from webbuild.equivalence.verdict import require_equivalent
from webbuild.manifest.detection_head_status import fallback_reason
from webbuild.manifest.manifest import Graph, OptionInput, Task
from webbuild.runners.tensors import Tensors
from webbuild.samples.sample import Sample

RunBatch = Callable[[Sequence[Tensors]], Sequence[Tensors]]
"""Runs a graph: the feeds of several runs -> the outputs of each run, in order."""


def check_reduced_precision(
    graph: Graph,
    run: RunBatch,
    task: Task,
    options: Sequence[OptionInput],
    samples: Sequence[Sample],
    equivalence: EquivalenceResult,
    sequence: Sequence[Sample] = (),
    run_sequence: RunBatch = lambda _: (),
    answers: Mapping[str, Tensors] = {},
) -> EquivalenceResult:
    """Compare a graph on every sample of the proof, and return the proof with its comparisons added.

    Args:
        graph: the graph's manifest entry; its precision determines the tolerance.
        run: runs the graph in half precision, as a GPU would: native ONNX Runtime computes in float32.
        task: the task.
        options: the threshold inputs.
        samples: the samples of the proof.
        equivalence: the proof of the other graphs; its WASM outputs are the reference.
        sequence: the steps of a model with states.
        run_sequence: runs the graph step by step, with the states of the previous step.
        answers: outputs of a proven graph for the steps, by step name.

    Raises:
        WebbuildError: `output-mismatch` or `vacuous-comparison`.
    """
    values = equivalence.thresholds
    threshold_feeds = {each.name: np.array([values[each.option]], np.float32) for each in options}
    reference_outputs = {**equivalence.outputs, **answers}
    proven_samples = [sample for sample in samples if sample.name in equivalence.outputs]
    steps = [step for step in sequence if step.name in reference_outputs]
    inputs = [
        RunInput(each.name, each.feeds, threshold_feeds, run_context(each, values))
        for each in (*proven_samples, *steps)
    ]
    reference = Reference(lambda each: reference_outputs[each.name], inputs, task, None)
    outputs = [
        *run([{**sample.feeds, **threshold_feeds} for sample in proven_samples]),
        *run_sequence([{**step.feeds, **threshold_feeds} for step in steps]),
    ]
    answered = [
        None if fallback_reason(graph, got) else replace(want, outputs=got)
        for want, got in zip(reference.answers, outputs, strict=True)
    ]
    answers_by_name = {
        each.name: got or want for each, want, got in zip(inputs, reference.answers, answered, strict=True)
    }
    detections = {
        name: {**by_runner, graph.name: answers_by_name[name].detections} if name in answers_by_name else by_runner
        for name, by_runner in equivalence.detections.items()
    }
    fallback = "" if graph.head_status is None else graph.head_status.fallback
    proven = [each for each in equivalence.comparisons if each.subject.runner == fallback]
    compared = compare_runs(reference, graph.name, answered, native_policy(graph), proven)
    comparisons = merge_steps(compared, {step.name: step.sequence for step in steps})
    require_equivalent(comparisons)
    return msgspec.structs.replace(
        equivalence, comparisons=[*equivalence.comparisons, *comparisons], detections=detections
    )
