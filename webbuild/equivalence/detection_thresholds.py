"""Detection thresholds of the proof: the exported ones, or others if those leave nothing to compare."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec
import numpy as np

from webbuild.equivalence.check import ComparedModel, EquivalenceResult, check_equivalence
from webbuild.equivalence.verdict import has_no_detections, mismatches, require_equivalent, used_only_fallback
from webbuild.manifest.manifest import Graph, OptionInput, Task
from webbuild.runners.malloc_trim import collect_and_trim
from webbuild.runners.native import NativeRunner
from webbuild.runners.tensors import Tensors
from webbuild.samples.sample import Sample
from webbuild.tasks.registry import kind_of

_TARGET_DETECTIONS = 10
"""Number of detections at the lowered threshold, on the sample with the best scores."""


def check_with_detections(
    model: ComparedModel,
    graphs: Sequence[Graph],
    folder: Path,
    samples: Sequence[Sample],
    edges: Sequence[Sample],
    *,
    open_with_thresholds: Callable[[], NativeRunner | None],
    open_graph: Callable[[Path], NativeRunner] = NativeRunner,
) -> EquivalenceResult:
    """Prove the graphs at the exported thresholds, and again at another confidence if the first proof is vacuous.

    The other confidence is lower if no sample has a detection. It is higher if every sample exceeds the capacity of a
    graph's NMS, so that only its fallback ran. A mismatch at the exported thresholds is final.

    Args:
        model: the original.
        graphs: the patched graphs.
        folder: the folder of the graphs' files.
        samples: the samples, also compared at the other confidence.
        edges: the edge cases, only compared at the exported thresholds.
        open_with_thresholds: opens the original with its thresholds as inputs, if it has any.
        open_graph: opens the file of a graph.

    Raises:
        WebbuildError: `output-mismatch` or `vacuous-comparison`.
    """
    collect_and_trim()  # free the memory of planning before the runs
    equivalence = check_equivalence(model, graphs, folder, [*samples, *edges], open_graph=open_graph)
    comparisons = equivalence.comparisons
    if not mismatches(comparisons) and (has_no_detections(comparisons) or used_only_fallback(comparisons)):
        graph = next((graph for graph in graphs if graph.target == "wasm"), graphs[0])
        run = open_graph(folder / graph.file).run
        confidence = confidence_with_detections(model.task, model.options, samples, run)
        appended = model.postprocess is not None
        opened = model.original if appended else open_with_thresholds()
        if opened is not None and confidence is not None:
            model = msgspec.structs.replace(model, original=opened)
            equivalence = check_equivalence(
                model, graphs, folder, samples, confidence=confidence, open_graph=open_graph
            )
    require_equivalent(equivalence.comparisons)
    return equivalence


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
