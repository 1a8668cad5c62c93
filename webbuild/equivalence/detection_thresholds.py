"""Detection thresholds of the proof: the exported ones, or others if those leave nothing to compare."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path

import numpy as np

from webbuild.equivalence.check import EquivalenceResult, check_equivalence
from webbuild.equivalence.open_reference import open_with_threshold_inputs
from webbuild.equivalence.verdict import has_no_detections, mismatches, require_equivalent, used_only_fallback
from webbuild.manifest.manifest import Graph, OptionInput, StateInput, Task
from webbuild.model.load import OnnxModel
from webbuild.postprocess.postprocess import Postprocess
from webbuild.runners.malloc_trim import collect_and_trim
from webbuild.runners.native import NativeRunner
from webbuild.runners.tensors import Tensors
from webbuild.samples.sample import Sample
from webbuild.tasks.registry import kind_of

_TARGET_DETECTIONS = 10
"""Number of detections at the lowered threshold, on the sample with the best scores."""


def check_with_detections(
    original: NativeRunner,
    source: OnnxModel,
    graphs: Sequence[Graph],
    folder: Path,
    task: Task,
    options: Sequence[OptionInput],
    samples: Sequence[Sample],
    edges: Sequence[Sample],
    postprocess: Postprocess | None = None,
    sizes: Mapping[str, int] | None = None,
    open_graph: Callable[[Path], NativeRunner] = NativeRunner,
    states: Sequence[StateInput] = (),
    exact: Collection[str] = (),
) -> EquivalenceResult:
    """Prove the graphs at the exported thresholds, and again at another confidence if the first proof is vacuous.

    The other confidence is lower if no sample has a detection. It is higher if every sample exceeds the capacity of a
    graph's NMS, so that only its fallback ran. A mismatch at the exported thresholds is final.

    Args:
        original: runs the original.
        source: the original model.
        graphs: the patched graphs.
        folder: the folder of the graphs' files.
        task: the task.
        options: the threshold inputs of the graphs.
        samples: the samples, also compared at the other confidence.
        edges: the edge cases, only compared at the exported thresholds.
        postprocess: the post-processing that the original lacks.
        sizes: the sizes of the original's free dimensions.
        open_graph: opens the file of a graph.
        states: the states that a sequence carries from step to step.
        exact: inputs that are not perturbed for the noise floor.

    Raises:
        WebbuildError: `output-mismatch` or `vacuous-comparison`.
    """
    collect_and_trim()  # free the memory of planning before the runs
    equivalence = check_equivalence(
        original,
        graphs,
        folder,
        task,
        options,
        [*samples, *edges],
        postprocess=postprocess,
        open_graph=open_graph,
        states=states,
        exact=exact,
    )
    comparisons = equivalence.comparisons
    if not mismatches(comparisons) and (has_no_detections(comparisons) or used_only_fallback(comparisons)):
        confidence = find_evaluation_confidence(graphs, folder, task, options, samples, open_graph)
        opened = original if postprocess is not None else open_with_threshold_inputs(source, sizes or {})
        if opened is not None and confidence is not None:
            equivalence = check_equivalence(
                opened,
                graphs,
                folder,
                task,
                options,
                samples,
                postprocess=postprocess,
                confidence=confidence,
                open_graph=open_graph,
                exact=exact,
            )
    require_equivalent(equivalence.comparisons)
    return equivalence


def find_evaluation_confidence(
    graphs: Sequence[Graph],
    folder: Path,
    task: Task,
    options: Sequence[OptionInput],
    samples: Sequence[Sample],
    open_graph: Callable[[Path], NativeRunner] = NativeRunner,
) -> float | None:
    """Return a confidence threshold at which a graph has a few detections on some sample; None if there is none."""
    graph = next((graph for graph in graphs if graph.target == "wasm"), graphs[0])
    runner = open_graph(folder / graph.file)
    return confidence_with_detections(task, options, samples, runner.run)


def confidence_with_detections(
    task: Task, options: Sequence[OptionInput], samples: Sequence[Sample], run: Callable[[Tensors], Tensors]
) -> float | None:
    """Return a confidence threshold at which some sample has a few detections; None if there is none.

    The threshold is midway between two scores, so that rounding does not move a score across it.
    """
    if not any(option.option == "confidence" for option in options):
        return None
    feeds = {o.name: np.array([0.0 if o.option == "confidence" else o.default], np.float32) for o in options}
    best = np.zeros(0)
    for sample in samples:
        scores = kind_of(task).candidate_scores(task, run({**sample.feeds, **feeds}))
        if scores is None:
            return None
        best = max(best, scores[: _TARGET_DETECTIONS + 1], key=lambda s: float(s[0]) if s.size else 0.0)
    distinct = best[best > 0]
    if distinct.size < 2:
        return None
    return float(np.float32((float(distinct[-2]) + float(distinct[-1])) / 2))
