"""What a visitor downloads: one graph and its weights, in parts where a weight file was split."""

from __future__ import annotations

from pathlib import Path

import msgspec

from tests.manifests import HASH, manifest
from webbuild.bundle.download_size import graph_downloads
from webbuild.manifest.manifest import File


def test_each_graph_is_told_with_its_own_bytes_and_for_whom_it_is(tmp_path: Path) -> None:
    whole = msgspec.structs.replace(manifest().graphs[0], file="whole.onnx", weights=["joined.bin"], head_status=None)
    half = msgspec.structs.replace(
        whole, file="half.onnx", weights=["half.bin"], precision="mixed", features=["shader-f16"]
    )
    wasm = msgspec.structs.replace(whole, target="wasm", file="wasm.onnx")
    sizes = {"whole.onnx": 10, "half.onnx": 20, "wasm.onnx": 30, "half.bin": 100, "one.bin": 100, "two.bin": 101}
    for name, size in sizes.items():
        (tmp_path / name).write_bytes(bytes(size))
    cut = File(path="joined.bin", size=201, sha256=HASH, uncompressed_size=201, parts=["one.bin", "two.bin"])
    found = graph_downloads(msgspec.structs.replace(manifest(), graphs=[half, whole, wasm], files=[cut]), tmp_path)
    assert [(each.graph, each.bytes) for each in found] == [("webgpu mixed", 120), ("webgpu", 211), ("wasm", 231)]
    assert [each.loaded_by for each in found] == [
        "WebGPU with shader-f16",
        "WebGPU, where mixed cannot run or fails",
        "browsers without WebGPU, and where it fails",
    ]
    (alone,) = graph_downloads(msgspec.structs.replace(manifest(), graphs=[wasm], files=[cut]), tmp_path)
    assert alone.loaded_by == "every browser"
