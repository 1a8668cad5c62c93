"""Damaged bundles: copies of a good one that is changed on purpose."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from PIL import Image


def copy(bundle: Path, folder: Path) -> Path:
    return Path(shutil.copytree(bundle, folder / bundle.name))


def manifest(bundle: Path) -> Any:
    return json.loads((bundle / "manifest.json").read_text())


def rewrite(bundle: Path, changed: Any) -> None:
    (bundle / "manifest.json").write_text(json.dumps(changed))


def flip_weights(bundle: Path, *, rehash: bool) -> None:
    """Negate a quarter of the weights; `rehash` updates their hash in the manifest."""
    described = manifest(bundle)
    path = described["graphs"][0]["weights"][0]
    data = np.fromfile(bundle / path, np.uint8)
    data[3 : len(data) // 4 : 4] ^= 0x80
    data.tofile(bundle / path)
    if rehash:
        entry = next(file for file in described["files"] if file["path"] == path)
        entry["sha256"] = hashlib.sha256(data.tobytes()).hexdigest()
        rewrite(bundle, described)


def negate_graph(bundle: Path) -> None:
    """Negate the weights in the first graph of a small model, and update the manifest."""
    described = manifest(bundle)
    path = described["graphs"][0]["file"]
    model = onnx.load(bundle / path)
    for tensor in model.graph.initializer:
        tensor.CopyFrom(onnx.numpy_helper.from_array(-onnx.numpy_helper.to_array(tensor), tensor.name))
    onnx.save(model, bundle / path)
    entry = next(file for file in described["files"] if file["path"] == path)
    data = (bundle / path).read_bytes()
    entry |= {"sha256": hashlib.sha256(data).hexdigest(), "size": len(data), "uncompressedSize": len(data)}
    rewrite(bundle, described)


def only_an_empty_picture(bundle: Path) -> None:
    """Keep one sample, an image without people."""
    Image.new("RGB", (320, 240), (114, 114, 114)).save(bundle / "samples" / "grey.png")
    described = manifest(bundle)
    described["samples"] = [{"file": "samples/grey.png", "title": "grey", "width": 320, "height": 240}]
    described["golden"] = None
    rewrite(bundle, described)


def keep_samples(bundle: Path, *patterns: str) -> None:
    """Keep the first sample that matches each pattern; the packed results stay."""
    described = manifest(bundle)
    files = [f"samples/{next((bundle / 'samples').glob(pattern)).name}" for pattern in patterns]
    described["samples"] = [sample for file in files for sample in described["samples"] if sample["file"] == file]
    rewrite(bundle, described)
