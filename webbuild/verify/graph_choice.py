"""The options of `load()` that make a page load the graphs under test."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from webbuild.verify.bundle import Bundle
from webbuild.verify.pipeline_graphs import pipeline_graphs


class LoadedGraphs(Struct, frozen=True):
    """The options of `load()`, of all stages each by its name.

    `on_webgpu` says whether a graph needs the GPU, `reduced_features` are what those in reduced precision need of it.
    """

    backend: str | dict[str, str]
    precision: str | dict[str, str]
    on_webgpu: bool
    reduced_features: Sequence[str]

    @staticmethod
    def of(bundle: Bundle, name: str) -> LoadedGraphs:
        """Return them for the run of a name. Where a stage must not run on its backend, the runtime takes WASM."""
        if not bundle.all_stages:
            graph = bundle.graph(name)
            target = name.partition(" ")[0] if graph is None else graph.target
            backend = "auto" if bundle.is_disabled(target) else target
            reduced = [] if graph is None or graph.precision == "fp32" else graph.features
            return LoadedGraphs(backend, "auto" if graph is None else graph.precision, backend == "webgpu", reduced)
        graphs = pipeline_graphs(bundle, name)
        features = [f for graph in graphs.values() if graph.precision != "fp32" for f in graph.features]
        return LoadedGraphs(
            {stage: graph.target for stage, graph in graphs.items()},
            {stage: graph.precision for stage, graph in graphs.items()},
            any(graph.target == "webgpu" for graph in graphs.values()),
            list(dict.fromkeys(features)),
        )
