"""The pose model without its suppression, as it is exported for a page that does that by hand."""

from __future__ import annotations

from pathlib import Path

import onnx

RAW = "/model/model.23/Concat_5_output_0"
"""Every anchor's corners, score and keypoints: [1, 56, anchors]."""


def truncate(model: Path, out: Path) -> Path:
    """Write the model up to `RAW`, and return where."""
    onnx.utils.extract_model(model, out, ["images"], [RAW])
    return out
