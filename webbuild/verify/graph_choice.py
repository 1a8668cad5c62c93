"""The options of `load()` that select the graphs under test."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from webbuild.verify.bundle import Bundle
from webbuild.verify.pipeline_graphs import pipeline_graphs


class LoadedGraphs(Struct, frozen=True):
    """The options of `load()`; for all stages together, by stage name.

    `on_webgpu` is whether a graph needs the GPU; `reduced_features` are the GPU features of reduced-precision graphs.
    """

    backend: str | dict[str, str]
    precision: str | dict[str, str]
    on_webgpu: bool
    reduced_features: Sequence[str]

    @staticmethod
    def of(bundle: Bundle, name: str) -> LoadedGraphs:
        """Return the options for a run by name. If a stage is disabled on its backend, the runtime uses WASM."""
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
