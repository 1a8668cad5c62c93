"""The narrow Swin backbone of two networks. Its weights from one can initialize the other."""

from __future__ import annotations

from typing import Any

from models import torchvision_cpu

if not torchvision_cpu.binaries_load():
    LIBRARY = torchvision_cpu.declare_operators()
    torchvision_cpu.allow_operators()

from transformers import SwinConfig

SIDE = 96
NARROW: dict[str, Any] = {
    "image_size": SIDE, "embed_dim": 20, "depths": [1, 1, 2, 1], "num_heads": [2, 4, 4, 8], "window_size": 4,
    "mlp_ratio": 2.0, "drop_path_rate": 0.0,
}  # fmt: skip
TINY: dict[str, Any] = {
    "image_size": 224, "embed_dim": 96, "depths": [2, 2, 6, 2], "num_heads": [3, 6, 12, 24], "window_size": 7,
}  # fmt: skip
"""Swin-tiny, as in the published weights."""


def config(stages: list[int], *, full_size: bool = False) -> Any:
    """Return the backbone's configuration; `stages` are the stages with output features."""
    return SwinConfig(out_indices=stages, **(TINY if full_size else NARROW))
