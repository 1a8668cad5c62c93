"""What a first visit downloads, against plain onnxruntime-web/webgpu with the same model: from the files alone."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable
from pathlib import Path

import pytest

from e2e.conftest import MODEL

ORT = Path(__file__).parents[1] / "node_modules" / "onnxruntime-web" / "dist"
PLAIN = ("ort.webgpu.min.mjs", "ort-wasm-simd-threaded.asyncify.mjs", "ort-wasm-simd-threaded.asyncify.wasm")
"""What `import "onnxruntime-web/webgpu"` loads in Chromium."""


def first_visit(bundle: Path) -> list[Path]:
    """The files that a script loads for a first result on WebGPU in Chromium, the self-test's among them."""
    described = json.loads((bundle / "manifest.json").read_text())
    (engine,) = [build for build in described["engines"] if build["build"] == "jspi"]
    (graph,) = [graph for graph in described["graphs"] if graph["target"] == "webgpu"]
    golden = [*described["golden"]["inputs"].values(), *described["golden"]["outputs"].values()]
    own = ("manifest.json", f"{bundle.name}.js", "runtime/webbuild.js", "runtime/worker.js")
    paths = [*own, engine["entry"], engine["glue"], engine["wasm"], graph["file"], *graph["weights"], *golden]
    return [bundle / path for path in paths]


def stored(files: Iterable[Path]) -> int:
    return sum(file.stat().st_size for file in files)


def compressed(files: Iterable[Path]) -> int:
    return sum(min(len(gzip.compress(file.read_bytes(), 6)), file.stat().st_size) for file in files)


@pytest.mark.parametrize(
    ("measure", "most"), [(stored, 0.35), (compressed, 0.76)], ids=["plain host", "host that gzips"]
)
def test_a_first_visit_is_smaller_than_the_plain_engine(bundle: Path, measure: object, most: float) -> None:
    assert callable(measure)
    share = measure(first_visit(bundle)) / measure([*(ORT / name for name in PLAIN), MODEL])
    assert 0.1 < share <= most
