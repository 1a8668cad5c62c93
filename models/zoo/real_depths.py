"""Export networks with as many layers as published, but fewer channels and smaller pictures.

python -m models.zoo.real_depths build/depths [NAMES...]

A software adapter can run these, but not the published sizes. They have the same nodes and run the same kernels.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from models.swin import TINY
from models.zoo import offline  # noqa: F401  makes torchvision importable with PyTorch for CPUs

# isort: split
import numpy as np
import torch

from models.zoo.examples import photo, picture
from models.zoo.make import export, fit
from models.zoo.recipe import Base, Example, Recipe
from models.zoo.ultralytics_models import network as ultralytics_network
from models.zoo.weights import enliven

SIDE = 128
SWIN: dict[str, Any] = {"image_size": SIDE, "embed_dim": 24, "depths": TINY["depths"], "num_heads": TINY["num_heads"],
                        "window_size": 3}  # fmt: skip
"""Swin-tiny: as at the published size, no side is a multiple of the window size."""
NARROW: dict[str, Any] = {"d_model": 32, "num_queries": 40, "encoder_ffn_dim": 64, "decoder_ffn_dim": 64}


def _rt_detr() -> Example:
    from transformers import RTDetrConfig, RTDetrForObjectDetection, RTDetrResNetConfig

    from models.rt_detr.network import Deployed

    widths = {"embedding_size": 16, "hidden_sizes": [32, 48, 64, 96]}
    backbone = RTDetrResNetConfig(out_features=["stage2", "stage3", "stage4"], **widths)
    width = {"encoder_hidden_dim": 32, "encoder_in_channels": [48, 64, 96], "decoder_in_channels": [32, 32, 32]}
    config = RTDetrConfig(backbone_config=backbone, num_labels=8, num_denoising=0, **NARROW, **width)
    inputs = {"images": picture(SIDE), "orig_target_sizes": torch.tensor([[SIDE, SIDE]])}
    outputs = ["labels", "boxes", "scores"]
    free = {name: {0: "N"} for name in (*inputs, *outputs)}
    network = enliven(Deployed(RTDetrForObjectDetection(config)), tuple(inputs.values()))
    return Example(network, inputs, outputs, free)


def _mask2former() -> Example:
    from transformers import Mask2FormerConfig, Mask2FormerForUniversalSegmentation, SwinConfig

    from models.mask2former.network import Deployed

    width = {"feature_size": 32, "mask_feature_size": 32, "hidden_dim": 32, "num_queries": 20,
             "encoder_feedforward_dim": 64, "dim_feedforward": 64, "num_labels": 8}  # fmt: skip
    config = Mask2FormerConfig(backbone_config=SwinConfig(out_indices=[1, 2, 3, 4], **SWIN), **width)
    inputs = {"pixel_values": photo(SIDE)}
    outputs = ["class_queries_logits", "masks_queries_logits"]
    network = enliven(Deployed(Mask2FormerForUniversalSegmentation(config)), tuple(inputs.values()))
    return Example(network, inputs, outputs, {name: {0: "batch_size"} for name in (*inputs, *outputs)})


def _grounding_dino() -> Example:
    from transformers import BertConfig, GroundingDinoConfig, GroundingDinoForObjectDetection, SwinConfig

    from models.grounding_dino.export import example, free_axes
    from models.grounding_dino.network import Deployed
    from models.grounding_dino.vocabulary import entries

    text = BertConfig(vocab_size=len(entries()), hidden_size=24, intermediate_size=48, max_position_embeddings=256)
    backbone = SwinConfig(out_indices=[2, 3, 4], **SWIN)
    fixed = {"disable_custom_kernels": True, "dropout": 0.0, "fusion_droppath": 0.0}
    config = GroundingDinoConfig(backbone_config=backbone, text_config=text, **NARROW, **fixed)
    inputs = example("transformers", SIDE, 16)
    outputs = ("logits", "pred_boxes")
    network = enliven(Deployed(GroundingDinoForObjectDetection(config)), tuple(inputs.values()))
    return Example(network, inputs, outputs, free_axes(inputs, outputs, "batch"))


def _pose() -> Example:
    import yaml

    settings = yaml.safe_load((Path(__file__).parents[1] / "yolo_pose" / "yolo11-pose-narrow.yaml").read_text())
    return ultralytics_network("yolo11-pose", 640, settings)


NETWORKS: dict[str, tuple[str, Callable[[], Example]]] = {
    "yolo-pose-640": ("ultralytics17-raw", _pose),
    "rt-detr-r50-depth": ("ts16-free", _rt_detr),
    "mask2former-swin-tiny-depth": ("ts17-free", _mask2former),
    "grounding-dino-tiny-depth": ("ts17-free", _grounding_dino),
}
"""The export and the network of each name."""


def main() -> None:
    """Export what is missing."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*", help=", ".join(NETWORKS))
    options = parser.parse_args()
    folder = options.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    warnings.filterwarnings("ignore")
    for name, (exporter, build) in NETWORKS.items():
        file = folder / f"{name}.onnx"
        if file.exists() or (options.names and name not in options.names):
            continue
        feeds = fit(export(Base(partial(build)), Recipe("real_depths", name, exporter), file), file)
        np.savez(file.with_suffix(".npz"), **feeds)
        print(f"{file}: {file.stat().st_size / 1e6:.0f} MB", flush=True)


if __name__ == "__main__":
    main()
