"""The architecture of transformers' Mask2Former with a Swin backbone, narrow or at full size."""

from __future__ import annotations

from typing import Any

from models import swin  # first: it makes torchvision importable
from models.scenes.names import CATEGORIES

# isort: split
from torch import Tensor, nn
from transformers import Mask2FormerConfig, Mask2FormerForUniversalSegmentation

NARROW: dict[str, Any] = {
    "feature_size": 64, "mask_feature_size": 64, "hidden_dim": 64, "num_attention_heads": 4,
    "encoder_feedforward_dim": 128, "encoder_layers": 2, "decoder_layers": 4, "dim_feedforward": 128, "num_queries": 20,
    "train_num_points": 512,
}  # fmt: skip


def network(*, full_size: bool = False) -> Any:
    """Return Mask2Former with random weights; full size is `mask2former-swin-tiny-coco-panoptic`, 133 classes."""
    names = dict(enumerate(CATEGORIES))
    options = NARROW | {"id2label": names, "label2id": {name: n for n, name in names.items()}}
    if full_size:
        options = {"num_labels": 133}
    backbone = swin.config([1, 2, 3, 4], full_size=full_size)
    return Mask2FormerForUniversalSegmentation(Mask2FormerConfig(backbone_config=backbone, **options))


class Deployed(nn.Module):
    """The usual export: `pixel_values` [1, 3, h, w] -> classes [1, q, c + 1] and masks [1, q, h / 4, w / 4]."""

    def __init__(self, segmenter: Any) -> None:
        super().__init__()
        self.segmenter = segmenter

    def forward(self, pixel_values: Tensor) -> tuple[Tensor, Tensor]:
        """Classes and masks of every query."""
        found = self.segmenter(pixel_values=pixel_values)
        return found.class_queries_logits, found.masks_queries_logits
