"""Outputs below the noise floor, compared piece by piece of the graph instead."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import msgspec

from webbuild.compare.comparison import Comparison
from webbuild.equivalence.compare_runs import Reference, compare_runs
from webbuild.manifest.manifest import Graph
from webbuild.runners.native import NativeRunner
from webbuild.verify.bundle import Bundle
from webbuild.verify.merged_weights import materialize_graph
from webbuild.verify.reference import policy_of

ComparePieces = Callable[[Bundle, Graph], int]
"""Computes each piece of a bundle's graph from native values; returns how many values agree, 0 if a node is wrong."""


def judge_below_noise(
    comparisons: Sequence[Comparison],
    name: str,
    bundle: Bundle,
    reference: Reference,
    compare_pieces: ComparePieces | None,
) -> Sequence[Comparison]:
    """Return the comparisons; differences that the model's own noise explains are judged by the pieces of its graph.

    Native ONNX Runtime must give the reference's results with this graph: pieces reveal wrong kernels, not weights.
    """
    noise, graph = reference.noise, bundle.graph(name)
    if noise is None or compare_pieces is None or graph is None or graph.name != graph.target:
        return comparisons
    if bundle.all_stages or bundle.variant != bundle.stage:
        return comparisons
    if not noise.explains_all(comparisons) or not _answers_alike(bundle, graph, reference):
        return comparisons
    values = compare_pieces(bundle, graph)
    return [
        msgspec.structs.replace(each, verdict="OK", reason=None, noise=noise.level(each), pieces=values)
        if values and each.verdict == "DIFFERS"
        else each
        for each in comparisons
    ]


def _answers_alike(bundle: Bundle, graph: Graph, reference: Reference) -> bool:
    """Whether native ONNX Runtime gives the reference's results with this graph too."""
    with materialize_graph(bundle, graph) as path:
        runner = NativeRunner(path)
    answers = [
        replace(want, outputs=runner.run({**run_input.feeds, **run_input.fixed}))
        for run_input, want in zip(reference.inputs, reference.answers, strict=True)
    ]
    compared = compare_runs(reference, graph.name, answers, policy_of(bundle, graph.name))
    return all(each.verdict != "DIFFERS" for each in compared)
