"""A line recognizer by connectionist temporal classification (Graves and others, 2006), with convolutions only."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from models.convolutions import Block, convolution
from models.text_reader.words import CHARACTERS


class AlongLine(nn.Module):
    """A depthwise convolution along the line, then two 1x1 convolutions: `Block` for features of height 1."""

    def __init__(self, channels: int, side: int) -> None:
        super().__init__()
        self.neighbours = nn.Sequential(
            nn.Conv2d(channels, channels, (1, side), padding=(0, side // 2), groups=channels, bias=False),
            nn.BatchNorm2d(channels),
        )
        self.channels = nn.Sequential(
            convolution(channels, 2 * channels, 1), nn.ReLU(inplace=True), convolution(2 * channels, channels, 1)
        )

    def forward(self, value: Tensor) -> Tensor:
        """[n, c, 1, t] -> the same shape."""
        value = value + self.neighbours(value)
        return value + self.channels(value)


class Recognizer(nn.Module):
    """A line [n, 3, 32, w] from -1 to 1 -> logits [n, w / 4, 96]: the blank, then `CHARACTERS`."""

    def __init__(self, widths: tuple[int, ...] = (16, 20, 48, 80, 104), depths: tuple[int, ...] = (1, 1, 1, 3)) -> None:
        super().__init__()
        stem, first, second, third, line = widths
        self.layers = nn.Sequential(
            convolution(3, stem, 3, 2), nn.ReLU(inplace=True),  # [n, 16, 16, w / 2]
            convolution(stem, first, 1), *(Block(first, 3) for _ in range(depths[0])),
            convolution(first, first, 3, 2, groups=first), convolution(first, second, 1),  # [n, 48, 8, w / 4]
            *(Block(second, 3) for _ in range(depths[1])),
            nn.Conv2d(second, third, (2, 1), (2, 1), bias=False), nn.BatchNorm2d(third),  # [n, 80, 4, w / 4]
            *(Block(third, 3) for _ in range(depths[2])),
            nn.Conv2d(third, line, (4, 1), bias=False), nn.BatchNorm2d(line),  # [n, 104, 1, w / 4]
            *(AlongLine(line, 7) for _ in range(depths[3])),
            nn.ReLU(inplace=True), nn.Conv2d(line, len(CHARACTERS) + 1, 1),
        )  # fmt: skip

    def forward(self, image: Tensor) -> Tensor:
        """Return the logits of every step."""
        value: Tensor = self.layers(image)
        return value.squeeze(2).transpose(1, 2)


class Probabilities(nn.Module):
    """The exported network: probabilities [n, w / 4, 96], with sum 1 in each step."""

    def __init__(self, network: nn.Module) -> None:
        super().__init__()
        self.network = network

    def forward(self, image: Tensor) -> Tensor:
        """Return a softmax of the logits."""
        return torch.softmax(self.network(image), -1)


def read(probabilities: Tensor) -> list[str]:
    """Return the texts of [n, t, 96] by greedy CTC decoding: best class per step, without repetitions and blanks."""
    texts = []
    for classes in probabilities.argmax(-1).tolist():
        kept = [now for before, now in zip([0, *classes], classes, strict=False) if now and now != before]
        texts.append("".join(CHARACTERS[index - 1] for index in kept))
    return texts
