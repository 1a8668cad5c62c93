"""The pose model without NMS, as exported for a page that does NMS itself."""

from __future__ import annotations

from pathlib import Path

import onnx

RAW = "/model/model.23/Concat_5_output_0"
"""Corners, score and keypoints of every anchor: [1, 56, anchors]."""


def truncate(model: Path, out: Path) -> Path:
    """Write the model up to `RAW`, and return its path."""
    onnx.utils.extract_model(model, out, ["images"], [RAW])
    return out
