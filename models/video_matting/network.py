"""A recurrent matting network with the architecture of robust video matting, at a fraction of its width.

Lin, Yang, Saleemi and Sengupta, "Robust High-Resolution Video Matting with Temporal Guidance" (WACV 2022). It runs at
the frame's full size, where the published network does not use its refiner either.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from models.imagenet import DEVIATION, MEAN

State = tuple[Tensor, Tensor, Tensor, Tensor]
"""The recurrent state at strides 2, 4, 8 and 16, the finest first."""


@dataclass(frozen=True)
class Width:
    """Channels of the encoder and of the decoder at strides 2, 4, 8 and 16, and of the decoder at the frame's size."""

    encoder: tuple[int, int, int, int] = (12, 16, 24, 40)
    decoder: tuple[int, int, int, int] = (16, 16, 24, 32)
    head: int = 12


FULL_SIZE = Width(encoder=(16, 24, 40, 128), decoder=(32, 40, 80, 128), head=16)
"""The width of the published network's decoder."""


def convolution(inputs: int, outputs: int, size: int = 3, stride: int = 1, groups: int = 1) -> nn.Sequential:
    """A convolution, normalized, with Hardswish."""
    layer = nn.Conv2d(inputs, outputs, size, stride, size // 2, groups=groups, bias=False)
    return nn.Sequential(layer, nn.BatchNorm2d(outputs), nn.Hardswish())


class InvertedResidual(nn.Module):
    """MobileNetV3's block: a 1x1 expansion, a depthwise convolution, a 1x1 projection."""

    def __init__(self, inputs: int, outputs: int, stride: int) -> None:
        super().__init__()
        wide = 3 * inputs
        narrow = nn.Sequential(nn.Conv2d(wide, outputs, 1, bias=False), nn.BatchNorm2d(outputs))
        self.layers = nn.Sequential(convolution(inputs, wide, 1), convolution(wide, wide, 3, stride, wide), narrow)
        self.skip = stride == 1 and inputs == outputs

    def forward(self, value: Tensor) -> Tensor:
        """[b, inputs, h, w] -> [b, outputs, h / stride, w / stride]."""
        changed: Tensor = self.layers(value)
        return value + changed if self.skip else changed


class PooledAttention(nn.Module):
    """LR-ASPP: features scaled by weights from the whole picture."""

    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(inputs, outputs, 1, bias=False), nn.BatchNorm2d(outputs), nn.ReLU())
        self.weights = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Conv2d(inputs, outputs, 1, bias=False), nn.Sigmoid())

    def forward(self, value: Tensor) -> Tensor:
        """[b, inputs, h, w] -> [b, outputs, h, w]."""
        weighed: Tensor = self.features(value) * self.weights(value)
        return weighed


class ConvGru(nn.Module):
    """A convolutional gated recurrent unit on half of the channels; the other half is passed through."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.half = channels // 2
        self.gates = nn.Conv2d(channels, channels, 3, padding=1)
        self.candidate = nn.Conv2d(channels, self.half, 3, padding=1)

    def forward(self, value: Tensor, before: Tensor) -> tuple[Tensor, Tensor]:
        """Features [b, c, h, w] and the previous state [b, c / 2, h, w] -> features, and the new state."""
        passed, read = value.split([value.shape[1] - self.half, self.half], 1)
        before = before.expand_as(read)
        reset, update = torch.sigmoid(self.gates(torch.cat([read, before], 1))).chunk(2, 1)
        candidate = torch.tanh(self.candidate(torch.cat([read, reset * before], 1)))
        now = (1 - update) * before + update * candidate
        return torch.cat([passed, now], 1), now


class Finer(nn.Module):
    """A decoder step: upsampling by 2, concatenation with the encoder's features and the frame, recurrent unit."""

    def __init__(self, inputs: int, encoder: int, outputs: int) -> None:
        super().__init__()
        self.join = convolution(inputs + encoder + 3, outputs)
        self.remember = ConvGru(outputs)

    def forward(self, value: Tensor, features: Tensor, frame: Tensor, before: Tensor) -> tuple[Tensor, Tensor]:
        """[b, inputs, h, w] -> [b, outputs, 2 h, 2 w], and the new state."""
        larger = functional.interpolate(value, scale_factor=2, mode="bilinear", align_corners=False)
        joined: Tensor = self.join(torch.cat([larger, features, frame], 1))
        finer: tuple[Tensor, Tensor] = self.remember(joined, before)
        return finer


class Matting(nn.Module):
    """A frame [b, 3, h, w] from 0 to 1 and the previous state -> foreground colours, alpha, the new state.

    Height and width are multiples of 16. The state is [1, 1, 1, 1] of zeros before the first frame, then
    [b, c / 2, h / s, w / s] at strides s of 2, 4, 8 and 16.
    """

    def __init__(self, width: Width | None = None) -> None:
        super().__init__()
        width = width or Width()
        one, two, three, four = width.encoder
        fine, finer, coarser, coarse = width.decoder
        self.register_buffer("mean", torch.tensor(MEAN)[:, None, None], persistent=False)
        self.register_buffer("deviation", torch.tensor(DEVIATION)[:, None, None], persistent=False)
        self.encode = nn.ModuleList([
            nn.Sequential(convolution(3, one, stride=2), InvertedResidual(one, one, 1)),
            nn.Sequential(InvertedResidual(one, two, 2), InvertedResidual(two, two, 1)),
            nn.Sequential(InvertedResidual(two, three, 2), InvertedResidual(three, three, 1)),
            nn.Sequential(InvertedResidual(three, four, 2), InvertedResidual(four, four, 1)),
        ])  # fmt: skip
        self.attend = PooledAttention(four, coarse)
        self.remember = ConvGru(coarse)
        steps = [Finer(coarse, three, coarser), Finer(coarser, two, finer), Finer(finer, one, fine)]
        self.decode = nn.ModuleList(steps)
        self.head = nn.Sequential(convolution(fine + 3, width.head), convolution(width.head, width.head))
        self.project = nn.Conv2d(width.head, 4, 1)

    def forward(self, src: Tensor, r1i: Tensor, r2i: Tensor, r3i: Tensor, r4i: Tensor) -> tuple[Tensor, ...]:
        """Return the foreground [b, 3, h, w] and alpha [b, 1, h, w], from 0 to 1, then the new state."""
        colors, alpha, state = self.matte(src, (r1i, r2i, r3i, r4i))
        return colors.clamp(0, 1), alpha.clamp(0, 1), *state

    def matte(self, frame: Tensor, state: State) -> tuple[Tensor, Tensor, State]:
        """Return the same without clamping."""
        features: list[Tensor] = []
        value = (frame - self.mean) / self.deviation
        for stage in self.encode:
            value = stage(value)
            features.append(value)
        value, fourth = self.remember(self.attend(value), state[3])
        frames = [frame]
        for _ in range(3):
            frames.append(functional.avg_pool2d(frames[-1], 2))
        value, third = self.decode[0](value, features[2], frames[3], state[2])
        value, second = self.decode[1](value, features[1], frames[2], state[1])
        value, first = self.decode[2](value, features[0], frames[1], state[0])
        larger = functional.interpolate(value, scale_factor=2, mode="bilinear", align_corners=False)
        residual, alpha = self.project(self.head(torch.cat([larger, frame], 1))).split([3, 1], 1)
        return frame + residual, alpha, (first, second, third, fourth)


def nothing() -> State:
    """Return the state before the first frame."""
    return (torch.zeros(1, 1, 1, 1),) * 4  # type: ignore[return-value]
