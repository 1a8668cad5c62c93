"""Networks of timm, as narrow as their code allows: image classifiers, and HRNet with a heatmap head."""

from __future__ import annotations

from functools import partial
from typing import Any

from models.zoo.examples import photo
from models.zoo.recipe import Base, Example
from models.zoo.weights import enliven

BATCH = {"input": {0: "batch"}, "output": {0: "batch"}}
SIZE = {"input": {0: "batch", 2: "height", 3: "width"}, "output": {0: "batch"}}


def build(name: str, side: int, free: dict[str, dict[int, str]], fused: bool, options: dict[str, Any]) -> Example:
    """Return a classifier of ten classes, with PyTorch's fused attention or decomposed."""
    import timm

    timm.layers.set_fused_attn(fused)
    inputs = {"input": photo(side)}
    network = timm.create_model(name, pretrained=False, num_classes=10, **options)
    return Example(enliven(network, tuple(inputs.values())), inputs, free=free)


def hrnet_pose() -> Example:
    """Return HRNet as exported by the original repository and mmpose: a heatmap for each of COCO's 17 keypoints."""
    import timm
    from torch import nn

    narrow: dict[str, Any] = {
        f"stage{count}": {
            "num_modules": 1, "num_branches": count, "block_type": "BASIC" if count > 1 else "BOTTLENECK",
            "num_blocks": (1,) * count, "num_channels": (8, 16, 32, 64)[:count], "fuse_method": "SUM",
        }
        for count in (1, 2, 3, 4)
    }  # fmt: skip
    branches = timm.models.hrnet.HighResolutionNet({"stem_width": 16, **narrow}, head="")
    finest = branches.feature_info[1]["num_chs"]  # [N, 8, H/4, W/4]

    class HeatMaps(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.backbone, self.final_layer = branches, nn.Conv2d(finest, 17, 1)

        def forward(self, input: Any) -> Any:  # noqa: A002  the input's name in an export
            return self.final_layer(self.backbone(input)[0])

    inputs = {"input": photo((128, 96))}
    return Example(enliven(HeatMaps(), tuple(inputs.values())), inputs, free=BATCH)


def _base(
    name: str, side: int = 64, exports: str = "ts17", conversions: str = "", *, sizes: bool = False, fused: bool = True,
    **options: Any,
) -> Base:  # fmt: skip
    return Base(partial(build, name, side, SIZE if sizes else BATCH, fused, options), exports, conversions)


FOUR = {"dims": (8, 16, 24, 32), "depths": (1, 1, 2, 1)}
TINY_VIT = {"img_size": 64, "depth": 2, "embed_dim": 48}
FOUR_HEADS = TINY_VIT | {"num_heads": 4}
STAGES = {"embed_dims": (16, 24, 32, 48), "depths": (1, 1, 1, 1)}

BASES = {
    "resnet10t": _base(
        "resnet10t", 64, "ts17 ts9 ts11-free dynamo18 dynamo20-free",
        "sim slim ort-basic ort-extended ort-all fp16 fp16-io qdq qdq-int8 qoperator external ts9:opset21",
        sizes=True, channels=(8, 16, 24, 32), stem_width=8,
    ),
    "mobilenetv3": _base("mobilenetv3_small_050", 64, "ts13 ts9", "sim fp16-io qdq dynamic-uint8 ort-all"),
    "vit": _base(
        "vit_tiny_patch16_224", 64, "ts17 ts14-free dynamo18 dynamo21-free",
        "slim ort-vit slim+fp16 dynamic-int8 q4 qdq ort-all", **TINY_VIT,
    ),
    "convnext": _base("convnext_atto", 64, "ts17 ts12-free", "ort-extended fp16 qdq", sizes=True, **FOUR),
    "convnextv2": _base("convnextv2_atto", 64, "dynamo18", "slim", **FOUR),
    "swin": _base(
        "swin_tiny_patch4_window7_224", 56, "ts17 ts16-free", "sim slim ort-swin fp16 dynamic-int8",
        img_size=56, embed_dim=24, depths=(2, 2), num_heads=(2, 4),
    ),
    "swinv2": _base(
        "swinv2_tiny_window8_256", 64, "ts17 dynamo18", "sim",
        img_size=64, embed_dim=24, depths=(2, 2), num_heads=(2, 4),
    ),
    "edgenext": _base("edgenext_xx_small", 64, "ts17", "slim+fp16-io", **(FOUR | {"heads": (4, 4, 4, 4)})),
    "efficientvit": _base(
        "efficientvit_b0", 64, "ts17 ts13-free", "slim+fp16", sizes=True, widths=(8, 16, 24, 32, 48),
        depths=(1, 1, 1, 1, 1), head_widths=(64, 64),
    ),
    "levit": _base(
        "levit_128s", 64, "ts15", "sim", img_size=64, embed_dim=(32, 48, 64), depth=(1, 1, 1), num_heads=(2, 3, 4)
    ),
    "deit-distilled": _base("deit_tiny_distilled_patch16_224", 64, "ts14", "dynamic-uint8", **TINY_VIT),
    "beit": _base("beit_base_patch16_224", 64, "ts17", "ort-all", **FOUR_HEADS),
    "cait": _base("cait_xxs24_224", 64, "ts16", **FOUR_HEADS),
    "xcit": _base("xcit_nano_12_p16_224", 64, "ts17", "slim", **FOUR_HEADS),
    "pvtv2": _base("pvt_v2_b0", 64, "ts13", "sim", fused=False, num_heads=(1, 2, 2, 4), **STAGES),
    "twins": _base("twins_svt_small", 64, "ts17", img_size=64, num_heads=(2, 2, 4, 4),
                   **(STAGES | {"depths": (2, 2, 2, 2)})),
    "eva02": _base("eva02_tiny_patch14_224", 56, "ts17", "q8", fused=False, **(FOUR_HEADS | {"img_size": 56})),
    "dinov2": _base("vit_small_patch14_reg4_dinov2", 56, "ts17-free", "ort-vit q4-asymmetric",
                    **(FOUR_HEADS | {"img_size": 56})),
    "dinov3": _base("vit_small_patch16_dinov3", 64, "ts18 dynamo18-free", "ort-fp16-io", fused=False, **FOUR_HEADS),
    "skresnet": _base("skresnet18", 64, "ts11", "qdq", channels=(16, 24, 32, 48)),
    "sequencer": _base(
        "sequencer2d_s", 64, "ts17", "sim", img_size=64, embed_dims=(24, 32, 32, 48), hidden_sizes=(8, 12, 12, 12),
        layers=(1, 1, 1, 1),
    ),
    "visformer": _base("visformer_tiny", 64, "ts12", img_size=64, embed_dim=48, init_channels=8, depth=(1, 1, 1),
                       num_heads=4),
    "inception-next": _base("inception_next_tiny", 64, "ts17", "fp16", **FOUR),
    "mambaout": _base("mambaout_femto", 64, "ts17", "ort-extended", **FOUR),
    "starnet": _base("starnet_s050", 64, "ts10", "qoperator"),
    "mobilenetv4": _base("mobilenetv4_conv_small_035", 64, "ts17-free", "qdq-int16", sizes=True),
    "efficientnet-evonorm": _base("test_efficientnet_evos", 64, "ts17"),
    "byobnet": _base("test_byobnet", 64, "ts17", "slim"),
    "nfnet": _base("test_nfnet", 64, "dynamo18", "fp16-io"),
    "hiera": _base("hiera_tiny_224", 64, "ts17", img_size=(64, 64), embed_dim=16, num_heads=1, stages=(1, 1, 2, 1)),
    "siglip-tower": _base("vit_base_patch16_siglip_224", 64, "ts17", "qdq", **FOUR_HEADS),
    "lcnet": _base("lcnet_035", 64, "ts11", "qdq sim+fp16"),
    "hrnet-pose": Base(hrnet_pose, "ts11-free ts17", "slim"),
}  # fmt: skip
