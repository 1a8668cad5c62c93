"""A network for the key points of one person in a crop: RTMPose (Jiang and others, 2023) at a fraction of its width.

A point's x and y are decoded from two rows of bins (SimCC), which are finer than pixels.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn
from torch.nn import functional

from models.convolutions import Block, convolution
from models.top_down_pose.crops import BINS, HEIGHT, POINTS, WIDTH


class Scaled(nn.Module):
    """Normalizes vectors to length 1, times one learned scale."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.scale, self.factor = channels**-0.5, nn.Parameter(torch.ones(1))

    def forward(self, value: Tensor) -> Tensor:
        """[..., c] -> the same shape."""
        length = torch.sqrt(value.pow(2).sum(-1, keepdim=True)) * self.scale
        return value / length.clamp(min=1e-5) * self.factor


class GatedAttention(nn.Module):
    """A gated attention unit: the points [b, n, c] attend to one another, and a gate scales the result."""

    def __init__(self, channels: int, inner: int, keys: int) -> None:
        super().__init__()
        self.norm, self.inner, self.keys = Scaled(channels), inner, keys
        self.read = nn.Linear(channels, 2 * inner + keys, bias=False)
        self.write = nn.Linear(inner, channels, bias=False)
        self.scale = nn.Parameter(torch.rand(2, keys))
        self.shift = nn.Parameter(torch.rand(2, keys))
        self.kept = nn.Parameter(torch.ones(channels))

    def forward(self, points: Tensor) -> Tensor:
        """[b, n, c] -> the same shape."""
        read = functional.silu(self.read(self.norm(points)))
        gate, value, base = torch.split(read, [self.inner, self.inner, self.keys], -1)
        query, key = (base[..., None, :] * self.scale + self.shift).unbind(-2)
        weights = functional.relu(query @ key.transpose(-1, -2) / math.sqrt(self.keys)).pow(2)
        found: Tensor = self.write(gate * (weights @ value))
        return points * self.kept + found


class TopDownPose(nn.Module):
    """A crop [b, 3, h, w], normalized with ImageNet's statistics -> bins of x [b, 17, 2 w] and of y [b, 17, 2 h]."""

    def __init__(
        self, width: int = 24, channels: int = 96, hidden: int = 128, size: tuple[int, int] = (HEIGHT, WIDTH),
        blocks: tuple[int, ...] = (2, 3, 4),
    ) -> None:  # fmt: skip
        super().__init__()
        widths = [2 * width, 4 * width, 7 * width]
        layers: list[nn.Module] = [convolution(3, width, 3, 2), nn.ReLU(inplace=True)]
        self.stages = nn.ModuleList()
        for before, after, count, side in zip([width, *widths], widths, blocks, (3, 3, 5), strict=False):
            layers += [convolution(before, after, 3, 2), nn.ReLU(inplace=True)]
            layers += [Block(after, side) for _ in range(count)]
            self.stages.append(nn.Sequential(*layers))
            layers = []
        self.fine, self.coarse = convolution(widths[1], channels, 1), convolution(widths[2], channels, 1)
        self.maps = nn.Conv2d(channels, POINTS, 7, padding=3)
        self.flat = nn.Sequential(
            Scaled(size[0] * size[1] // 64), nn.Linear(size[0] * size[1] // 64, hidden, bias=False)
        )
        self.among = GatedAttention(hidden, 2 * hidden, hidden // 2)
        self.x = nn.Linear(hidden, size[1] * BINS, bias=False)
        self.y = nn.Linear(hidden, size[0] * BINS, bias=False)

    def forward(self, crop: Tensor) -> tuple[Tensor, Tensor]:
        """Return the bins; the largest one of a row gives the position and the confidence."""
        fine = self.stages[1](self.stages[0](crop))
        coarse = self.coarse(self.stages[2](fine))
        larger = functional.interpolate(coarse, scale_factor=2.0, mode="bilinear", align_corners=False)
        maps = self.maps(functional.relu(self.fine(fine) + larger))
        points = self.among(self.flat(maps.flatten(2)))
        return self.x(points), self.y(points)


FULL_SIZE = {"width": 48, "channels": 384, "hidden": 256, "size": (256, 192)}
"""About the width of the published medium network, and its crop size."""
