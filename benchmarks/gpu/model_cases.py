"""A bundle's WebGPU graphs as jobs: graph, weights and a run with known outputs, each in plain files."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.gpu.random_weights import clear, replace_weights
from webbuild.manifest.manifest import Graph
from webbuild.runners.native import NativeRunner
from webbuild.verify.bundle import Bundle
from webbuild.verify.bundle_reader import open_bundle
from webbuild.verify.golden_reader import read_golden
from webbuild.verify.merged_weights import materialize_graph

Tensors = dict[str, NDArray[Any]]


class CaseWriter:
    """Writes cases into the archive's folder; files with the same content only once."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def cases(self, directory: Path, *, random_weights: bool = False) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield the precision and the case of each WebGPU graph of a bundle, float32 first.

        With `random_weights`, weights are noise, and the expected outputs are native ONNX Runtime's with that noise.

        Raises:
            ValueError: the bundle has no WebGPU graph, or no run with known outputs.
        """
        bundle = open_bundle(directory)
        golden = read_golden(bundle)
        graphs = sorted((each for each in bundle.manifest.graphs if each.target == "webgpu"), key=_float32_first)
        if golden is None or not graphs:
            raise ValueError(f"{directory} has no WebGPU graph, or no golden run")
        described = json.loads((directory / "manifest.json").read_text("utf-8"))
        specs = {each["file"]: each for each in described["graphs"] if each["target"] == "webgpu"}
        feeds, expected = golden
        steps: dict[str, float] = {}
        for graph in graphs:
            spec = dict(specs[graph.file])
            if random_weights:
                spec.pop("suppression", None)
            with materialize_graph(bundle, graph) as path:
                weights, found = self._weights(path, graph, feeds if random_weights else None, steps)
                expected = found if found is not None and graph.precision == "fp32" else expected
                model = self._store(path.read_bytes())
            yield (
                graph.precision if graph.weight_dtype == "fp32" else graph.weight_dtype,
                {
                    "graph": spec,
                    "model": model,
                    "weights": weights,
                    "inputs": described["inputs"],
                    "task": {"kind": "tensor"} if random_weights else described["task"],
                    "confidence": described["evaluationThresholds"].get("confidence", 0.0),
                    "feeds": self._tensors(feeds),
                    "expected": self._tensors(expected),
                },
            )

    def _weights(
        self, path: Path, graph: Graph, feeds: Tensors | None, steps: dict[str, float]
    ) -> tuple[list[dict[str, Any]], Tensors | None]:
        """Store the weight files; with `feeds`, fill them with noise and return native ONNX Runtime's outputs."""
        work = self.folder / "work"
        work.mkdir(exist_ok=True)
        files = [work / Path(name).name for name in (graph.file, *graph.weights)]
        for file in files:
            shutil.copyfile(path.parent / file.name, file)
        filled = {file: replace_weights(files[0], file, steps) if feeds is not None else [] for file in files[1:]}
        found = None if feeds is None or graph.precision != "fp32" else dict(NativeRunner(files[0]).run(feeds))
        stored = []
        for file, tensors in filled.items():
            clear(file, tensors)
            stored.append({"path": file.name, "file": self._store(file.read_bytes()), "filled": tensors})
        shutil.rmtree(work)
        return stored, found

    def _tensors(self, tensors: Tensors) -> list[dict[str, Any]]:
        return [
            {"name": name, "dtype": array.dtype.name, "shape": list(array.shape), "file": self._store(_bytes(array))}
            for name, array in tensors.items()
        ]

    def _store(self, data: bytes) -> str:
        name = f"files/{hashlib.sha256(data).hexdigest()[:16]}"
        target = self.folder / name
        target.parent.mkdir(exist_ok=True)
        target.write_bytes(data)
        return name


def weight_bytes(bundle: Bundle) -> int:
    """Return the bytes of a bundle's float32 weights."""
    graph = bundle.graph("webgpu")
    sizes = {file.path: file.uncompressed_size for file in bundle.manifest.files}
    return 0 if graph is None else sum(sizes[path] for path in graph.weights)


def _bytes(array: NDArray[Any]) -> bytes:
    return np.ascontiguousarray(array.astype(array.dtype.newbyteorder("<"))).tobytes()


def _float32_first(graph: Graph) -> bool:
    return graph.precision != "fp32"
