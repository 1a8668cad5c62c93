"""A text detector by differentiable binarization (Liao and others, 2020): a map of shrunk lines."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn
from torch.nn import functional

from models.convolutions import Block, convolution
from models.text_reader.shrink import OUTLINE


class Detector(nn.Module):
    """[n, 3, h, w], normalized with ImageNet's statistics, sides multiples of 32 -> logits [n, 1, h, w]."""

    def __init__(self, widths: tuple[int, ...] = (12, 24, 40, 64, 96), depths: tuple[int, ...] = (1, 2, 3, 1)) -> None:
        super().__init__()
        self.stem = nn.Sequential(convolution(3, widths[0], 3, 2), nn.ReLU(inplace=True))
        self.stages = nn.ModuleList()
        for before, after, depth in zip(widths, widths[1:], depths, strict=False):
            smaller = [convolution(before, before, 3, 2, groups=before), convolution(before, after, 1)]
            self.stages.append(nn.Sequential(*smaller, *(Block(after, 5) for _ in range(depth))))
        self.sides = nn.ModuleList(convolution(width, 32, 1) for width in widths[1:])
        self.joint = nn.Sequential(convolution(32, 32, 5, groups=32), convolution(32, 16, 1), nn.ReLU(inplace=True))
        self.larger = nn.Sequential(
            nn.ConvTranspose2d(16, 8, 2, 2, bias=False), nn.BatchNorm2d(8), nn.ReLU(inplace=True),
            nn.ConvTranspose2d(8, 1, 2, 2),
        )  # fmt: skip

    def forward(self, image: Tensor) -> Tensor:
        """Return the logits; features of strides 32, 16 and 8 are added to stride 4 one after the other."""
        value = self.stem(image)
        sides = []
        for stage, side in zip(self.stages, self.sides, strict=True):
            value = stage(value)
            sides.append(side(value))
        joint = sides[-1]
        for side in reversed(sides[:-1]):
            joint = side + functional.interpolate(joint, scale_factor=2.0, mode="nearest")
        logits: Tensor = self.larger(self.joint(joint))
        return logits


SHARPNESS, EDGE = 4.0, 0.4
"""Steepness of the exported sigmoid: a small network's probabilities are low, and PP-OCR's decoder drops boxes with a
mean below 0.6. The exported sigmoid maps the probability `EDGE` to 0.3, the decoder's outline threshold. Chosen on
drawings like those of the training."""


class Probabilities(nn.Module):
    """The exported network: the probability of each pixel, [n, 1, h, w] from 0 to 1."""

    def __init__(self, network: Detector) -> None:
        super().__init__()
        self.network = network
        last = network.larger[-1]
        with torch.no_grad():
            last.weight *= SHARPNESS
            last.bias.copy_(SHARPNESS * (last.bias - logit(EDGE)) + logit(OUTLINE))

    def forward(self, image: Tensor) -> Tensor:
        """Return a sigmoid of the logits."""
        return torch.sigmoid(self.network(image))


def logit(share: float) -> float:
    """Return the inverse sigmoid of a probability."""
    return math.log(share / (1 - share))
