"""Write the files that come with an exported model: `config.json` and `preprocessor_config.json`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from models.imagenet import DEVIATION, MEAN


def write(folder: Path, config: dict[str, Any], preprocessor: dict[str, Any]) -> None:
    """Write both files as transformers does."""
    for name, content in (("config.json", config), ("preprocessor_config.json", preprocessor)):
        (folder / name).write_text(json.dumps(content, indent=2, sort_keys=True, default=str) + "\n", "utf-8")


def preprocessor(kind: str, height: int, width: int, *, normalized: bool = True) -> dict[str, Any]:
    """Return the preprocessing: Pillow's bilinear resize, scaled to 0..1, optionally with ImageNet's normalization."""
    return {
        "do_normalize": normalized,
        "do_rescale": True,
        "do_resize": True,
        "image_mean": [round(float(value), 3) for value in MEAN],
        "image_processor_type": kind,
        "image_std": [round(float(value), 3) for value in DEVIATION],
        "resample": 2,
        "rescale_factor": 1 / 255,
        "size": {"height": height, "width": width},
    }
