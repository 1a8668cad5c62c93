"""Convolution blocks that several networks share."""

from __future__ import annotations

from torch import Tensor, nn


def convolution(before: int, after: int, side: int, stride: int = 1, groups: int = 1) -> nn.Sequential:
    """A convolution with its batch norm."""
    return nn.Sequential(
        nn.Conv2d(before, after, side, stride, side // 2, groups=groups, bias=False), nn.BatchNorm2d(after)
    )


class Block(nn.Module):
    """RepViT's block: a depthwise convolution mixes neighbours, then two 1x1 convolutions mix channels."""

    def __init__(self, channels: int, side: int) -> None:
        super().__init__()
        self.neighbours = convolution(channels, channels, side, groups=channels)
        self.channels = nn.Sequential(
            convolution(channels, 2 * channels, 1), nn.ReLU(inplace=True), convolution(2 * channels, channels, 1)
        )

    def forward(self, value: Tensor) -> Tensor:
        """[b, c, h, w] -> the same shape."""
        value = value + self.neighbours(value)
        return value + self.channels(value)
