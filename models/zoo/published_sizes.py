"""Export image networks at their published sizes, with random weights.

python -m models.zoo.published_sizes build/pictures [NAMES...]

`benchmarks/picture_networks.py` measures them. The zoo has small versions of the same networks.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import torch
from torch import nn

from models.zoo.examples import Named, photo, picture
from models.zoo.inpainting import BigLama, hole
from models.zoo.make import export
from models.zoo.matting import BiRefNet, ModnetBranches, RobustMatting, states
from models.zoo.recipe import Base, Example, Recipe
from models.zoo.swinir import SwinIr
from models.zoo.upscaling import CompactUpscaler, Rrdb

SWIN_LARGE = {"embed_dim": 192, "depths": (2, 2, 18, 2), "num_heads": (6, 12, 24, 48), "window_size": 12}


def _of_picture(network: Callable[[], nn.Module], side: int) -> Example:
    return Example(network().eval(), {"input": photo(side)})


def _rvm(side: int) -> Example:
    inputs = {"src": picture(side), **states(side // 4, (16, 20, 40, 64))}
    return Example(RobustMatting().eval(), inputs, ["fgr", "pha", "r1o", "r2o", "r3o", "r4o"])


def _lama(side: int, **options: Any) -> Example:
    return Example(BigLama(side, **options).eval(), {"image": picture(side), "mask": hole(side)})


def _swinir(side: int) -> Example:
    return Example(SwinIr(side).eval(), {"input": picture(side)})


def _swin2sr(side: int) -> Example:
    from transformers import Swin2SRConfig, Swin2SRForImageSuperResolution

    form = {"embed_dim": 180, "depths": [6] * 6, "num_heads": [6] * 6, "upscale": 4, "upsampler": "nearest+conv"}
    network = Swin2SRForImageSuperResolution(Swin2SRConfig(image_size=side, **form)).eval()
    return Example(Named(network, ["pixel_values"], ["reconstruction"]), {"pixel_values": picture(side)})


NETWORKS: dict[str, tuple[str, Callable[[], Example]]] = {
    "birefnet-lite": ("ts17", partial(_of_picture, partial(BiRefNet, {"img_size": 1024}), 1024)),
    "birefnet": ("ts17", partial(_of_picture, partial(BiRefNet, SWIN_LARGE | {"img_size": 1024}), 1024)),
    "modnet": ("ts17", partial(_of_picture, ModnetBranches, 512)),
    "rvm": ("ts17", partial(_rvm, 1024)),
    "real-esrgan": ("ts17", partial(_of_picture, Rrdb, 128)),
    "real-esrgan-compact": ("ts17", partial(_of_picture, CompactUpscaler, 256)),
    "swinir": ("ts17", partial(_swinir, 64)),
    "swin2sr": ("ts17", partial(_swin2sr, 64)),
    "lama": ("dynamo18", partial(_lama, 512)),
    "lama-matrices": ("ts17", partial(_lama, 512, matrices=True)),
}
"""The export and the network of each name."""


def main() -> None:
    """Export what is missing."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*", help=", ".join(NETWORKS))
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    for name, (exporter, build) in NETWORKS.items():
        file = options.folder / f"{name}.onnx"
        if file.exists() or (options.names and name not in options.names):
            continue
        with torch.no_grad():
            export(Base(build), Recipe("published_sizes", name, exporter), file)
        print(f"{file}: {file.stat().st_size / 1e6:.0f} MB", flush=True)


if __name__ == "__main__":
    main()
