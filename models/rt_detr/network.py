"""The architecture of transformers' RT-DETR, first and second version, narrow or at full size."""

from __future__ import annotations

from typing import Any

from models import torchvision_cpu

if not torchvision_cpu.binaries_load():
    LIBRARY = torchvision_cpu.declare_operators()
    torchvision_cpu.allow_operators()

import torch
from torch import Tensor, nn
from transformers import (
    RTDetrConfig,
    RTDetrForObjectDetection,
    RTDetrResNetConfig,
    RTDetrV2Config,
    RTDetrV2ForObjectDetection,
)

from models.scenes.names import SHAPES

SIDE = 96
NARROW: dict[str, Any] = {
    "encoder_hidden_dim": 64, "encoder_in_channels": [48, 96, 160], "encoder_ffn_dim": 128,
    "encoder_attention_heads": 4, "hidden_expansion": 0.5, "d_model": 64, "num_queries": 40,
    "decoder_in_channels": [64, 64, 64], "decoder_ffn_dim": 128, "decoder_layers": 2, "decoder_attention_heads": 4,
    "num_denoising": 20,
}  # fmt: skip
NARROW_BACKBONE: dict[str, Any] = {
    "embedding_size": 24, "hidden_sizes": [24, 48, 96, 160], "depths": [1, 1, 1, 1], "layer_type": "basic",
}  # fmt: skip


def network(version: int = 1, *, training: bool = False, full_size: bool = False) -> Any:
    """RT-DETR with random weights.

    Args:
        version: 1 or 2.
        training: leave the backbone's batch norm trainable, which training from scratch needs. If frozen, as in the
            published weights, its export has Mul and Add instead.
        full_size: as `rtdetr_r50vd`, with 80 classes.
    """
    backbone = RTDetrResNetConfig(out_indices=[2, 3, 4], **({} if full_size else NARROW_BACKBONE))
    names = dict(enumerate(SHAPES))
    options = {} if full_size else NARROW | {"id2label": names, "label2id": {name: n for n, name in names.items()}}
    if full_size:
        options = {"num_labels": 80}
    options |= {"backbone_config": backbone, "freeze_backbone_batch_norms": not training}
    if version == 2:
        return RTDetrV2ForObjectDetection(RTDetrV2Config(**options))
    return RTDetrForObjectDetection(RTDetrConfig(**options))


class Deployed(nn.Module):
    """The usual export: the network and its post-processing, like the original repository's `deploy`.

    From `images` [1, 3, h, w] of 0 to 1 and `orig_target_sizes` [1, 2], the picture's width and height, to `labels`
    [1, queries], `boxes` [1, queries, 4] as x1 y1 x2 y2 in the picture's pixels, and `scores` [1, queries], best first.
    """

    def __init__(self, detector: Any) -> None:
        super().__init__()
        self.detector = detector

    def forward(self, images: Tensor, orig_target_sizes: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Labels, boxes and scores."""
        found = self.detector(pixel_values=images)
        logits, boxes = found.logits, found.pred_boxes
        middle, size = boxes[..., :2], boxes[..., 2:]
        boxes = torch.cat([middle - 0.5 * size, middle + 0.5 * size], -1)
        boxes = boxes * orig_target_sizes.repeat(1, 2).unsqueeze(1)
        scores = torch.sigmoid(logits)
        scores, index = torch.topk(scores.flatten(1), logits.shape[1], dim=-1)
        labels = index % logits.shape[2]
        index = index // logits.shape[2]
        boxes = boxes.gather(dim=1, index=index.unsqueeze(-1).repeat(1, 1, boxes.shape[-1]))
        return labels, boxes, scores
