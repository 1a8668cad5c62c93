"""Pretrain the narrow Swin: predict the shape and colour of every pixel, and the box of its object.

    python -m models.swin_start --minutes 5 --out build/swin

From scratch a Swin learns slowly from the few matched queries of a detector. Here it learns from every pixel.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np

from models import swin, training  # swin first: it makes torchvision importable

# isort: split
import torch
from torch import Tensor, nn
from torch.nn import functional
from transformers import SwinBackbone

from models.imagenet import inputs
from models.scenes import cache, dataset
from models.scenes.names import COLOURS, SHAPES

STAGES = [1, 2, 3, 4]
CELL = 4
"""Pixels per prediction, along a side."""

HEADS = (len(SHAPES) + 1, len(COLOURS) + 1, 4)
"""Channels: scores of shapes and of no thing, the same for colours, and offsets of the four edges from the cell."""


class Start(nn.Module):
    """The backbone with one linear head per stage; their outputs are added."""

    def __init__(self) -> None:
        super().__init__()
        self.swin: Any = SwinBackbone(swin.config(STAGES))
        self.heads = nn.ModuleList(nn.Conv2d(channels, sum(HEADS), 1) for channels in self.swin.channels)

    def forward(self, pixels: Tensor) -> tuple[Tensor, ...]:
        """Pictures [b, 3, h, w] -> shapes, colours, edges, each [b, n, h / 4, w / 4]."""
        features = self.swin(pixels).feature_maps
        size = features[0].shape[-2:]
        found = [head(feature) for head, feature in zip(self.heads, features, strict=True)]
        grown = [functional.interpolate(one, size=size, mode="bilinear", align_corners=False) for one in found]
        return torch.stack(grown).sum(0).split(HEADS, 1)


def batch(pictures: cache.Cache, number: int, size: int) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Return pictures, half of them mirrored, and every cell's shape, colour (0 for none) and box of its thing."""
    rng = np.random.default_rng([dataset.SEEDS["train"], number])
    chosen = np.sort(rng.integers(len(pictures), size=size))
    middle = slice(CELL // 2, None, CELL)
    things = pictures.instances[chosen][:, middle, middle].astype(np.int64)
    images, boxes = pictures.images[chosen], pictures.boxes[chosen] / np.float32(swin.SIDE)
    rows = np.arange(size)[:, None, None]
    kinds = [np.pad(of[chosen], ((0, 0), (1, 0)), constant_values=-1) + 1 for of in (pictures.shapes, pictures.colours)]
    shapes, colours = (kind[rows, things].astype(np.int64) for kind in kinds)
    edges = np.pad(boxes, ((0, 0), (1, 0), (0, 0)))[rows, things]
    flip = rng.random(size) < 0.5
    for array in (images, shapes, colours, edges):
        array[flip] = array[flip][:, :, ::-1]
    edges[flip] = edges[flip][..., [2, 1, 0, 3]] * (-1, 1, -1, 1) + (1, 0, 1, 0)
    made = [torch.from_numpy(np.ascontiguousarray(array)) for array in (shapes, colours, edges)]
    return torch.from_numpy(inputs(images)), *made


def loss(model: Start, pixels: Tensor, shapes: Tensor, colours: Tensor, edges: Tensor) -> Tensor:
    """Return the cross entropy of shapes and colours, plus the error of the four edges within things."""
    shape, colour, edge = model(pixels)
    side = shape.shape[-1]
    at = (torch.arange(side) + 0.5) / side
    here = torch.stack(torch.meshgrid(at, at, indexing="xy"), -1).repeat(1, 1, 2)
    inside = (shapes > 0)[..., None]
    far = ((edge.permute(0, 2, 3, 1) / 4 + here - edges).abs() * inside).sum() / inside.sum().clamp(min=1)
    return functional.cross_entropy(shape, shapes) + functional.cross_entropy(colour, colours) + 5 * far


def main() -> None:
    """Read the command line and train."""
    parser = training.arguments(__doc__)
    parser.add_argument("--pictures", type=int, default=6000)
    parser.add_argument("--drawings", type=Path, help="folder of the drawings, if several trainings share them")
    options: argparse.Namespace = parser.parse_args()
    pictures = cache.drawn(options.drawings or options.out, options.pictures, options.threads, swin.SIDE)
    torch.manual_seed(0)
    model = Start().train()
    print(training.fit(model, lambda number: loss(model, *batch(pictures, number, options.batch)), options))


if __name__ == "__main__":
    main()
