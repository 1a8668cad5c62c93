"""A bundle of plain tensors, small enough to write by hand: y = 2 x + b."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import parser

from webbuild.manifest import manifest as contract
from webbuild.manifest.manifest import (
    Engine,
    File,
    Generator,
    Golden,
    Graph,
    Manifest,
    Output,
    Source,
    TensorInput,
    TensorTask,
)
from webbuild.verify.bundle import Bundle

MODEL = """
<ir_version: 8, opset_import: ["" : 17]>
double (float[2, 3] x, int64[2] ids) => (float[2, 3] y, int64[2] same)
<float[1] b = {1}> { twice = Add(x, x)
 y = Add(twice, b)
 same = Identity(ids) }
"""
FEEDS: dict[str, NDArray[Any]] = {"x": np.arange(6, dtype=np.float32).reshape(2, 3), "ids": np.array([1, 2], np.int64)}
ANSWERS: dict[str, NDArray[Any]] = {"y": FEEDS["x"] * 2 + 1, "same": FEEDS["ids"]}


def write_bundle(folder: Path) -> Bundle:
    """Write the files of the bundle that native ONNX Runtime needs, without a runtime."""
    (folder / "golden").mkdir(parents=True)
    onnx.save(parser.parse_model(MODEL), folder / "double.onnx")
    paths = {}
    for name, value in {**FEEDS, **ANSWERS}.items():
        paths[name] = f"golden/{name}.bin"
        (folder / paths[name]).write_bytes(value.tobytes())
    outputs = [Output(name="y", dtype="float32", shape=[2, 3]), Output(name="same", dtype="int64", shape=[2])]
    manifest = Manifest(
        name="double",
        title="Double",
        generator=Generator(version="0"),
        engine=Engine(version="1"),
        source=Source(file="double.onnx", sha256="0" * 64, size=1, producer="", license=""),
        task=TensorTask(),
        inputs=[
            TensorInput(name="x", dtype="float32", shape=[2, 3]),
            TensorInput(name="ids", dtype="int64", shape=[2]),
        ],
        outputs=outputs,
        graphs=[Graph(target="wasm", file="double.onnx", weights=[], nodes=3, outputs=outputs, head_status=None)],
        engines=[],
        files=[_file(folder, path) for path in ("double.onnx", *paths.values())],
        golden=Golden(
            sample="made", inputs={name: paths[name] for name in FEEDS}, outputs={name: paths[name] for name in ANSWERS}
        ),
        evaluation_thresholds={},
        samples=[],
        assumptions=[],
    )
    return rewrite(folder, manifest)


def rewrite(folder: Path, manifest: Manifest, **changes: object) -> Bundle:
    """Write a manifest with changes."""
    changed = msgspec.structs.replace(manifest, **changes)
    (folder / "manifest.json").write_bytes(contract.encode(changed))
    return Bundle(folder, changed)


def _file(folder: Path, path: str) -> File:
    data = (folder / path).read_bytes()
    return File(path=path, size=len(data), sha256=hashlib.sha256(data).hexdigest(), uncompressed_size=len(data))
