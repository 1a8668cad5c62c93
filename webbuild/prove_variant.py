"""The proof of a graph in reduced precision: against the answers of those that were proven, in its own arithmetic."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from webbuild.head import why_repeat
from webbuild.manifest import Graph, OptionInput, PanopticTask, Task
from webbuild.proof import Proof, judge
from webbuild.prove import Witness, answer_of, require
from webbuild.samples import Sample
from webbuild.tasks.region_modes import in_any_case

Tensors = Mapping[str, NDArray[Any]]
Run = Callable[[Sequence[Tensors]], Sequence[Tensors]]
"""Computes a graph: its outputs for each input, in order."""


def prove_variant(
    graph: Graph, run: Run, task: Task, options: Sequence[OptionInput], samples: Sequence[Sample], witness: Witness
) -> Witness:
    """Judge a graph on every sample that the others were proven on, and return what is then known.

    Args:
        graph: what it says of itself; its precision says how far off it may be.
        run: computes it in half precision, as a GPU would: native ONNX Runtime does not.
        task: what it is for.
        options: the thresholds that are its inputs.
        samples: those of the proof.
        witness: the proof of the other graphs, whose answers are the reference.

    Raises:
        WebbuildError: `not-proven` or `proved-nothing`.
    """
    values = witness.thresholds
    given = {each.name: np.array([values[each.option]], np.float32) for each in options}
    known = [sample for sample in samples if sample.name in witness.outputs]
    references = [answer_of(task, witness.outputs[each.name], each, values) for each in known]
    if isinstance(task, PanopticTask) and not any(want.regions and want.regions.regions for want in references):
        task = in_any_case(task)
        references = [answer_of(task, witness.outputs[each.name], each, values) for each in known]
    detections = {name: dict(seen) for name, seen in witness.detections.items()}
    proofs: list[Proof] = []
    found = run([{**sample.feeds, **given} for sample in known])
    for sample, want, outputs in zip(known, references, found, strict=True):
        repeated = bool(why_repeat(graph, outputs))
        got = want if repeated else answer_of(task, outputs, sample, values)
        detections[sample.name][graph.name] = got.found
        proofs += judge(sample, graph, task, values, want, got, repeated=repeated)
    require(proofs)
    return msgspec.structs.replace(witness, proofs=[*witness.proofs, *proofs], detections=detections)
