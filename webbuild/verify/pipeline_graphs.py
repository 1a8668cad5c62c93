"""The graphs that run together in a pipeline: the graph of each stage, by the name of a run."""

from __future__ import annotations

from collections.abc import Sequence

from webbuild.equivalence.policy import Policy
from webbuild.manifest.manifest import Graph
from webbuild.verify.bundle import Bundle
from webbuild.verify.reference import policy_of


def pipeline_names(pipeline: Bundle, backends: Sequence[str], precision: str = "auto") -> list[str]:
    """Return the names of the runs of all stages together: per backend the best graphs, then the exported precision.

    The names are like graph names: `webgpu fp16 whole`, `webgpu whole`, `webgpu whole 640x480`.
    """
    names = []
    for backend in backends:
        best = [graphs[0].precision for stage in pipeline.all_stages if (graphs := _graphs(stage, backend))]
        reduced = next((each for each in best if each != "fp32"), "")
        if reduced and precision in ("auto", reduced):
            names.append(f"{backend} {reduced} {pipeline.variant}")
        if not reduced or precision in ("auto", "fp32"):
            names.append(f"{backend} {pipeline.variant}")
    return names


def pipeline_graphs(pipeline: Bundle, name: str) -> dict[str, Graph]:
    """Return the graph of each stage in a run; the WASM graph if a stage has none for the backend."""
    backend, _, rest = name.partition(" ")
    reduced = rest != pipeline.variant
    return {
        stage.stage: (_graphs(stage, backend) or _graphs(stage, "wasm") or stage.manifest.graphs)[0 if reduced else -1]
        for stage in pipeline.all_stages
    }


def pipeline_policy(pipeline: Bundle, name: str) -> Policy:
    """Return the widest policy of the graphs that run together."""
    graphs = pipeline_graphs(pipeline, name)
    policies = [policy_of(each, f"{graphs[each.stage].name} {each.variant}".rstrip()) for each in pipeline.all_stages]
    return max(policies, key=lambda policy: policy.tolerance.relative)


def _graphs(stage: Bundle, backend: str) -> list[Graph]:
    return [graph for graph in stage.manifest.graphs if graph.target == backend]
