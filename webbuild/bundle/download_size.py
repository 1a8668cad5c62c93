"""The download size of a model for a visitor: one graph and its weights."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct

from webbuild.manifest.manifest import Graph, Manifest
from webbuild.manifest.variant_names import variant_names


class GraphDownload(Struct, frozen=True, rename="camel"):
    """A graph by name, its bytes with its weights, and the browsers that load it."""

    graph: str
    nodes: int
    bytes: int
    loaded_by: str


def graph_downloads(manifest: Manifest, folder: Path) -> list[GraphDownload]:
    """Return the download size of each graph, and which browsers load it."""
    return [
        GraphDownload(
            " ".join(filter(None, (graph.name, stage.stage_name or "", name))),
            graph.nodes,
            _download_bytes(graph, each, folder),
            _loaded_by(graph, each),
        )
        for stage in manifest.every_model
        for name, each in zip(variant_names(stage), stage.every_variant, strict=True)
        for graph in each.graphs
    ]


def _download_bytes(graph: Graph, manifest: Manifest, folder: Path) -> int:
    parts = {file.path: file.parts for file in manifest.files if file.parts}
    stored = [part for path in (graph.file, *graph.weights) for part in parts.get(path, [path])]
    return sum((folder / path).stat().st_size for path in stored)


def _loaded_by(graph: Graph, manifest: Manifest) -> str:
    before = [each for each in manifest.graphs if each.target == graph.target]
    before = before[: before.index(graph)]
    if graph.target == "wasm":
        webgpu = any(each.target == "webgpu" for each in manifest.graphs)
        return "browsers without WebGPU, and where it fails" if webgpu else "every browser"
    needs = f"WebGPU with {' and '.join(graph.features)}" if graph.features else "WebGPU"
    return f"{needs}, where {' and '.join(each.precision for each in before)} cannot run or fails" if before else needs
