"""A bundle of a model with state, small enough to write by hand: earlier frames fade in the output image."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
from onnx import parser
from PIL import Image

from tests.manifests import image_input
from tests.verify.bundle_made import rewrite, write_bundle
from webbuild.manifest.manifest import Graph, Output, Sample, StateInput
from webbuild.verify.bundle import Bundle

TRAIL = """
<ir_version: 8, opset_import: ["" : 17]>
trail (float[1, 3, 8, 8] images, float[1, 3, 8, 8] seen) => (float[1, 3, 8, 8] y, float[1, 3, 8, 8] seenN)
<float half = {0.5}> { fading = Mul(seen, half)
 seenN = Add(images, fading)
 y = Mul(seenN, half) }
"""

SHAPE = [1, 3, 8, 8]


def write_trail(folder: Path) -> Bundle:
    """Write the bundle without a runtime and without a golden run."""
    made = write_bundle(folder)
    onnx.save(parser.parse_model(TRAIL), made.directory / "trail.onnx")
    noise = np.random.default_rng(0).integers(0, 255, (8, 8, 3), np.uint8)
    Image.fromarray(noise).save(made.directory / "one.png")
    outputs = [Output(name="y", dtype="float32", shape=SHAPE)]
    graph = Graph(target="wasm", file="trail.onnx", weights=[], nodes=3, outputs=outputs, head_status=None)
    return rewrite(
        made.directory,
        made.manifest,
        inputs=[image_input(), StateInput(name="seen", dtype="float32", shape=SHAPE, output="seenN")],
        outputs=outputs,
        graphs=[graph],
        golden=None,
        samples=[Sample(file="one.png", title="one", width=8, height=8)],
    )
