"""Networks of the Segment Anything family with few channels, from transformers, and MobileSAM's encoder."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

SIDE, CELLS, WIDTH = 128, 8, 32
"""Pixels of the input per side, cells of the embedding per side, and channels."""
SIDE_3 = 112
"""Pixels of SAM 3's input per side; its patches have 14."""
SEED = 7
DECODER = {"hidden_size": WIDTH, "mlp_dim": 64, "num_attention_heads": 4, "iou_head_hidden_dim": WIDTH}
HIERA = {
    "hidden_size": 8, "image_size": [SIDE, SIDE], "embed_dim_per_stage": [8, 16, 24, 32],
    "blocks_per_stage": [1, 1, 3, 1], "num_attention_heads_per_stage": [1, 2, 2, 4],
    "window_size_per_stage": [8, 4, 6, 3], "global_attention_blocks": [3],
    "window_positional_embedding_background_size": [8, 8],
}  # fmt: skip
"""As in SAM 2, the third stage's size is not a multiple of its windows, and no stage's first block is global."""
LEVELS = [[SIDE >> level, SIDE >> level] for level in (2, 3, 4)]
"""Rows and columns of a decoder's input features."""


def sam(masks: int) -> Any:
    """Return SAM with `masks` masks per prompt; the first of four is the single-mask output."""
    from transformers import SamConfig, SamModel

    torch.manual_seed(SEED)
    vision = {"hidden_size": WIDTH, "output_channels": WIDTH, "num_hidden_layers": 2, "num_attention_heads": 4,
              "image_size": SIDE, "window_size": 4, "global_attn_indexes": [1], "num_pos_feats": WIDTH // 2,
              "mlp_dim": 64, "initializer_range": 0.02}  # fmt: skip
    prompt = {"hidden_size": WIDTH, "image_size": SIDE, "image_embedding_size": CELLS}
    decoder = DECODER | {"num_multimask_outputs": masks}
    config = SamConfig(
        vision_config=vision, prompt_encoder_config=prompt, mask_decoder_config=decoder, attn_implementation="eager"
    )
    return SamModel(config)


def sam2() -> Any:
    """Return SAM 2."""
    from transformers import Sam2Config, Sam2HieraDetConfig, Sam2Model, Sam2VisionConfig

    torch.manual_seed(SEED)
    vision = Sam2VisionConfig(
        backbone_config=Sam2HieraDetConfig(**HIERA), backbone_channel_list=[32, 24, 16, 8],
        backbone_feature_sizes=LEVELS, fpn_hidden_size=WIDTH,
    )  # fmt: skip
    prompt = {"hidden_size": WIDTH, "image_size": SIDE}
    config = Sam2Config(
        vision_config=vision, prompt_encoder_config=prompt, mask_decoder_config=DECODER, attn_implementation="eager"
    )
    return Sam2Model(config)


def sam3_tracker() -> Any:
    """Return SAM 3's tracker on one picture: a transformer of patches with rotary positions before SAM 2's decoder."""
    from transformers import Sam3TrackerConfig, Sam3TrackerModel, Sam3VisionConfig, Sam3ViTConfig

    torch.manual_seed(SEED)
    backbone = Sam3ViTConfig(
        hidden_size=WIDTH, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4, image_size=SIDE_3,
        window_size=4, global_attn_indexes=[1], pretrain_image_size=56,
    )  # fmt: skip
    sizes = [[CELLS * scale, CELLS * scale] for scale in (4, 2, 1)]
    vision = Sam3VisionConfig(backbone_config=backbone, fpn_hidden_size=WIDTH, backbone_feature_sizes=sizes)
    prompt = {"hidden_size": WIDTH, "image_size": SIDE_3, "patch_size": SIDE_3 // CELLS}
    config = Sam3TrackerConfig(
        vision_config=vision, prompt_encoder_config=prompt, mask_decoder_config=DECODER, attn_implementation="eager"
    )
    return Sam3TrackerModel(config)


def edge_tam() -> Any:
    """Return EdgeTAM on one picture: RepViT before SAM 2's decoder."""
    from transformers import EdgeTamConfig, EdgeTamModel, EdgeTamVisionConfig, TimmWrapperConfig

    torch.manual_seed(SEED)
    channels = (8, 16, 24, 32)
    options = {"in_chans": 3, "features_only": True, "out_indices": [0, 1, 2, 3], "embed_dim": channels,
               "depth": (1, 1, 1, 1)}  # fmt: skip
    vision = EdgeTamVisionConfig(
        backbone_config=TimmWrapperConfig(architecture="repvit_m1", model_args=options),
        backbone_channel_list=[*reversed(channels)], backbone_feature_sizes=LEVELS, fpn_hidden_size=WIDTH,
    )  # fmt: skip
    prompt = {"hidden_size": WIDTH, "image_size": SIDE}
    config = EdgeTamConfig(
        vision_config=vision, prompt_encoder_config=prompt, mask_decoder_config=DECODER, attn_implementation="eager"
    )
    return EdgeTamModel(config)


class Normalized(nn.LayerNorm):
    """Layer normalization over channels that come second."""

    def forward(self, values: Any) -> Any:
        """Return normalized values, [batch, channels, h, w]."""
        return super().forward(values.permute(0, 2, 3, 1)).permute(0, 3, 1, 2)


class MobileEncoder(nn.Module):
    """MobileSAM's encoder: TinyViT, whose last stage does not downsample, and SAM's neck."""

    def __init__(self) -> None:
        from timm.models.tiny_vit import TinyVit

        super().__init__()
        torch.manual_seed(SEED)
        self.backbone = TinyVit(
            embed_dims=(8, 16, 24, 32), depths=(1, 1, 2, 1), num_heads=(1, 2, 2, 4), window_sizes=(7, 7, 14, 7),
            num_classes=0, drop_path_rate=0,
        )  # fmt: skip
        self.backbone.stages[3].downsample.conv2.conv.stride = (1, 1)
        self.neck = nn.Sequential(
            nn.Conv2d(32, WIDTH, 1, bias=False), Normalized(WIDTH, 1e-6),
            nn.Conv2d(WIDTH, WIDTH, 3, padding=1, bias=False), Normalized(WIDTH, 1e-6),
        )  # fmt: skip

    def forward(self, picture: Any) -> Any:
        """Return the embedding."""
        return self.neck(self.backbone.forward_features(picture))
