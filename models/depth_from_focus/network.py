"""A differential focus volume network: 2-D features of each picture, 3-D convolutions across the pictures.

The architecture is from Yang, Huang and Zhou, "Deep Depth from Focus with Differential Focus Volume" (CVPR 2022), at a
fraction of its width.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional


@dataclass(frozen=True)
class Width:
    """Channels of the picture features at strides 4, 8 and 16, of the focus volumes, and 2-D blocks to a stride."""

    features: tuple[int, int, int] = (16, 24, 32)
    volume: int = 12
    blocks: int = 1


FULL_SIZE = Width(features=(64, 128, 256), volume=48, blocks=3)
"""The width of the published network."""


def plane(inputs: int, outputs: int, stride: int = 1) -> nn.Sequential:
    """A 2-D convolution, normalized."""
    convolution = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False)
    return nn.Sequential(convolution, nn.BatchNorm2d(outputs), nn.ReLU(inplace=True))


def space(inputs: int, outputs: int) -> nn.Sequential:
    """A 3-D convolution across focus, height and width, normalized."""
    convolution = nn.Conv3d(inputs, outputs, 3, 1, 1, bias=False)
    return nn.Sequential(convolution, nn.BatchNorm3d(outputs), nn.ReLU(inplace=True))


class Features(nn.Module):
    """Pictures [b, 3, h, w] -> features at strides 4, 8 and 16, with shared weights for all pictures."""

    def __init__(self, width: Width) -> None:
        super().__init__()
        first = width.features[0]
        self.stem = nn.Sequential(
            nn.Conv2d(3, first, 5, 2, 2, bias=False), nn.BatchNorm2d(first), nn.ReLU(inplace=True)
        )
        stages, before = [], first
        for channels in width.features:
            blocks = [plane(before, channels, 2)] + [plane(channels, channels) for _ in range(width.blocks)]
            stages.append(nn.Sequential(*blocks))
            before = channels
        self.stages = nn.ModuleList(stages)
        self.narrow = nn.ModuleList(nn.Conv2d(channels, width.volume, 1) for channels in width.features)

    def forward(self, images: Tensor) -> list[Tensor]:
        """The features of every stride, each with a focus volume's number of channels."""
        value, levels = self.stem(images), []
        for stage, narrow in zip(self.stages, self.narrow, strict=True):
            value = stage(value)
            levels.append(narrow(value))
        return levels


class Decoder(nn.Module):
    """A focus volume [b, c, n, h, w] and the coarser level's -> the refined volume, and a cost [b, n, h, w]."""

    def __init__(self, channels: int, coarser: bool) -> None:
        super().__init__()
        self.join = space(2 * channels if coarser else channels, channels)
        self.refine = space(channels, channels)
        self.classify = nn.Conv3d(channels, 1, 3, 1, 1)

    def forward(self, volume: Tensor, coarser: Tensor | None) -> tuple[Tensor, Tensor]:
        """The refined volume and its cost."""
        if coarser is not None:
            larger = functional.interpolate(coarser, size=volume.shape[2:], mode="nearest")
            volume = torch.cat([volume, larger], 1)
        volume = self.join(volume)
        volume = volume + self.refine(volume)
        return volume, self.classify(volume).squeeze(1)


class DepthFromFocus(nn.Module):
    """Focal stack [b, n, 3, h, w] and focus distances [b, n] in metres -> depth and confidence, [b, h, w] each.

    The stack is normalized with ImageNet's mean and standard deviation. The confidence is exp(-d), where d is the
    standard deviation over the focus distances, relative to the depth.
    """

    def __init__(self, width: Width | None = None) -> None:
        super().__init__()
        width = width or Width()
        self.features = Features(width)
        self.decoder1 = Decoder(width.volume, coarser=True)
        self.decoder2 = Decoder(width.volume, coarser=True)
        self.decoder3 = Decoder(width.volume, coarser=False)

    def forward(self, focal_stack: Tensor, focus_distances: Tensor) -> tuple[Tensor, Tensor]:
        """Depth and confidence from the finest cost."""
        return self.read(self.costs(focal_stack)[0], focus_distances)

    def costs(self, focal_stack: Tensor) -> list[Tensor]:
        """The cost [b, n, h, w] of every distance at every pixel, at strides 4, 8 and 16, each at full size."""
        batch, count, _, height, width = focal_stack.shape
        levels = self.features(focal_stack.reshape(batch * count, 3, height, width))
        volumes = [self.differential(level, batch, count) for level in levels]
        value3, cost3 = self.decoder3(volumes[2], None)
        value2, cost2 = self.decoder2(volumes[1], value3)
        _, cost1 = self.decoder1(volumes[0], value2)
        size = (height, width)
        return [
            functional.interpolate(cost, size=size, mode="bilinear", align_corners=False)
            for cost in (cost1, cost2, cost3)
        ]

    @staticmethod
    def differential(features: Tensor, batch: int, count: int) -> Tensor:
        """Features [b * n, c, h, w] -> each picture's minus the next one's, [b, c, n, h, w]; the last unchanged."""
        volume = features.reshape(batch, count, *features.shape[1:]).transpose(1, 2)
        return torch.cat([volume[:, :, :-1] - volume[:, :, 1:], volume[:, :, -1:]], 2)

    @staticmethod
    def read(cost: Tensor, distances: Tensor) -> tuple[Tensor, Tensor]:
        """Depth as the mean distance under softmax, and the confidence from its deviation."""
        shares = functional.softmax(cost, 1)
        metres = distances[:, :, None, None]
        depth = (shares * metres).sum(1)
        variance = (shares * (metres - depth.unsqueeze(1)) ** 2).sum(1)
        return depth, torch.exp(-torch.sqrt(variance + 1e-6) / depth)
