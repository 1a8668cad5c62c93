"""The download size of a first visit, compared with plain onnxruntime-web/webgpu and the same model, by file sizes."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterable
from pathlib import Path

from e2e.conftest import MODEL, Webbuild

ORT = Path(__file__).parents[1] / "node_modules" / "onnxruntime-web" / "dist"
PLAIN = ("ort.webgpu.min.mjs", "ort-wasm-simd-threaded.asyncify.mjs", "ort-wasm-simd-threaded.asyncify.wasm")
"""The files that `import "onnxruntime-web/webgpu"` loads in a browser."""


def first_visit(bundle: Path) -> list[Path]:
    """Return the files that a script loads for a first result on WebGPU in Chromium, including the self-test's."""
    described = json.loads((bundle / "manifest.json").read_text())
    (engine,) = [build for build in described["engines"] if build["build"] == "jspi"]
    (graph,) = [graph for graph in described["graphs"] if graph["target"] == "webgpu"]
    golden = [*described["golden"]["inputs"].values(), *described["golden"]["outputs"].values()]
    own = ("manifest.json", f"{bundle.name}.js", "runtime/webbuild.js", "runtime/worker.js")
    parts = {file["path"]: file["parts"] for file in described["files"]}
    paths = [*own, engine["entry"], engine["glue"], engine["wasm"], graph["file"], *graph["weights"], *golden]
    return [bundle / stored for path in paths for stored in parts.get(path) or [path]]


def stored(files: Iterable[Path]) -> int:
    return sum(file.stat().st_size for file in files)


def compressed(files: Iterable[Path]) -> int:
    return sum(min(len(gzip.compress(file.read_bytes(), 6)), file.stat().st_size) for file in files)


def share(bundle: Path, measure: Callable[[Iterable[Path]], int]) -> float:
    return measure(first_visit(bundle)) / measure([*(ORT / name for name in PLAIN), MODEL])


def test_a_first_visit_is_smaller_than_the_plain_engine(bundle: Path) -> None:
    assert 0.1 < share(bundle, stored) <= 0.24
    assert 0.1 < share(bundle, compressed) <= 0.635


def test_with_weights_of_8_bits_it_is_smaller_still(webbuild: Webbuild, tmp_path: Path) -> None:
    done = webbuild("pack", MODEL, "-o", tmp_path / "yolo-pose", "--no-verify", "--weight-dtype", "int8")
    assert done.returncode == 0, done.stderr
    assert 0.1 < share(tmp_path / "yolo-pose", compressed) <= 0.45
