"""Draw scenes and train the narrow Mask2Former on them for a given time.

    python -m models.mask2former.train --minutes 30 --out build/mask2former --backbone build/swin/last.pt

`--backbone` is a checkpoint of `models.swin_start`. `--dense` minutes of the time are pretraining without queries
(`dense.py`), whose checkpoint is in the subfolder `dense`. With `--start` both are skipped.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from models.mask2former.network import network  # first: it makes torchvision importable

# isort: split
from models import training
from models.mask2former import batches, dense
from models.scenes import cache
from models.swin import SIDE

# isort: split
import torch
from torch import Tensor

SWIN = "model.pixel_level_module.encoder."


def swin_of(checkpoint: Path) -> dict[str, Any]:
    """Return the backbone's weights from a checkpoint of `models.swin_start`, by this network's names."""
    weights = training.averaged(checkpoint)
    return {SWIN + name.removeprefix("swin."): value for name, value in weights.items() if name.startswith("swin.")}


def start(pictures: cache.Cache, options: argparse.Namespace) -> dict[str, Any]:
    """Return pretrained weights, whose features distinguish shapes and colours."""
    fresh = network().train()
    if options.backbone:
        given = swin_of(options.backbone)
        fresh.load_state_dict({**fresh.state_dict(), **given})
    model = dense.Dense(fresh)
    own = argparse.Namespace(**vars(options) | {"out": options.out / "dense", "minutes": options.dense})
    checkpoint = training.fit(model, lambda number: model.loss(pictures, number, options.batch), own)
    return dense.weights(training.averaged(checkpoint))


def train(options: argparse.Namespace) -> Path:
    """Train, and return the checkpoint."""
    pictures = cache.drawn(options.drawings or options.out, options.pictures, options.threads, SIDE)
    torch.manual_seed(0)
    model: Any = network().train()
    if options.dense and not options.start:
        model.load_state_dict(start(pictures, options))
        options.minutes -= options.dense

    def step(number: int) -> Tensor:
        images, masks, classes = batches.batch(pictures, number, options.batch)
        loss: Tensor = model(pixel_values=images, mask_labels=masks, class_labels=classes).loss.sum()
        return loss

    return training.fit(model, step, options)


def main() -> None:
    """Read the command line and train."""
    parser = training.arguments(__doc__)
    parser.add_argument("--dense", type=float, default=8, help="minutes of pretraining without queries")
    parser.add_argument("--backbone", type=Path, help="checkpoint of models.swin_start")
    parser.add_argument("--pictures", type=int, default=6000)
    parser.add_argument("--drawings", type=Path, help="folder of the drawings, if several trainings share them")
    print(train(parser.parse_args()))


if __name__ == "__main__":
    main()
