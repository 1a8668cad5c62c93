"""The proof of a graph in reduced precision: against the answers of those that were proven, in its own arithmetic."""

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
"""Computes a graph: its outputs for each input, in order."""


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
    """Judge a graph on every sample that the others were proven on, and return what is then known.

    Args:
        graph: what it says of itself; its precision says how far off it may be.
        run: computes it in half precision, as a GPU would: native ONNX Runtime does not.
        task: what it is for.
        options: the thresholds that are its inputs.
        samples: those of the proof.
        equivalence: the proof of the other graphs, whose answers are the reference.
        sequence: the steps of a model with states.
        run_sequence: computes the graph, each input with the states of the one before.
        answers: of a graph that was proven, to the steps.

    Raises:
        WebbuildError: `output-mismatch` or `vacuous-comparison`.
    """
    values = equivalence.thresholds
    threshold_feeds = {each.name: np.array([values[each.option]], np.float32) for each in options}
    witness = {**equivalence.outputs, **answers}
    known = [sample for sample in samples if sample.name in equivalence.outputs]
    steps = [step for step in sequence if step.name in witness]
    inputs = [RunInput(each.name, each.feeds, threshold_feeds, run_context(each, values)) for each in (*known, *steps)]
    reference = Reference(lambda each: witness[each.name], inputs, task, None)
    sample_comparisons = [
        *run([{**sample.feeds, **threshold_feeds} for sample in known]),
        *run_sequence([{**step.feeds, **threshold_feeds} for step in steps]),
    ]
    answered = [
        None if fallback_reason(graph, outputs) else replace(want, outputs=outputs)
        for want, outputs in zip(reference.answers, sample_comparisons, strict=True)
    ]
    own = {each.name: got or want for each, want, got in zip(inputs, reference.answers, answered, strict=True)}
    detections = {
        name: {**seen, graph.name: own[name].detections} if name in own else seen
        for name, seen in equivalence.detections.items()
    }
    fallback = "" if graph.head_status is None else graph.head_status.fallback
    proven = [each for each in equivalence.comparisons if each.subject.runner == fallback]
    compared = compare_runs(reference, graph.name, answered, native_policy(graph), proven)
    comparisons = merge_steps(compared, {step.name: step.sequence for step in steps})
    require_equivalent(comparisons)
    return msgspec.structs.replace(
        equivalence, comparisons=[*equivalence.comparisons, *comparisons], detections=detections
    )
