"""The proof of a graph in reduced precision: against the answers of those that were proven, in its own arithmetic."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from webbuild.equivalence.answer import Answer, with_nonempty_mode
from webbuild.equivalence.check import EquivalenceResult, require_equivalent, run_context
from webbuild.equivalence.compare_outputs import OutputComparison, compare_outputs
from webbuild.manifest.head_status import fallback_reason
from webbuild.manifest.manifest import Graph, OptionInput, Task
from webbuild.samples.collect import Sample

Tensors = Mapping[str, NDArray[Any]]
RunBatch = Callable[[Sequence[Tensors]], Sequence[Tensors]]
"""Computes a graph: its outputs for each input, in order."""


def check_reduced_precision(
    graph: Graph,
    run: RunBatch,
    task: Task,
    options: Sequence[OptionInput],
    samples: Sequence[Sample],
    witness: EquivalenceResult,
) -> EquivalenceResult:
    """Judge a graph on every sample that the others were proven on, and return what is then known.

    Args:
        graph: what it says of itself; its precision says how far off it may be.
        run: computes it in half precision, as a GPU would: native ONNX Runtime does not.
        task: what it is for.
        options: the thresholds that are its inputs.
        samples: those of the proof.
        witness: the proof of the other graphs, whose answers are the reference.

    Raises:
        WebbuildError: `output-mismatch` or `vacuous-comparison`.
    """
    values = witness.thresholds
    given = {each.name: np.array([values[each.option]], np.float32) for each in options}
    known = [sample for sample in samples if sample.name in witness.outputs]
    references = with_nonempty_mode(
        [Answer(task, witness.outputs[each.name], run_context(each, values)) for each in known]
    )
    detections = {name: dict(seen) for name, seen in witness.detections.items()}
    proofs: list[OutputComparison] = []
    found = run([{**sample.feeds, **given} for sample in known])
    for sample, want, outputs in zip(known, references, found, strict=True):
        repeated = bool(fallback_reason(graph, outputs))
        got = want if repeated else replace(want, outputs=outputs)
        detections[sample.name][graph.name] = got.detections
        proofs += compare_outputs(sample, graph, want, got, repeated=repeated)
    require_equivalent(proofs)
    return msgspec.structs.replace(witness, comparisons=[*witness.comparisons, *proofs], detections=detections)
