"""A compact super-resolution network: convolutions at the small size, then a pixel shuffle.

The architecture is SRVGGNetCompact of Real-ESRGAN (Wang, Xie, Dong and Shan, ICCVW 2021), at a fraction of its width.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

SCALE = 2


class SuperResolution(nn.Module):
    """RGB [b, 3, h, w] from 0 to 1 -> RGB [b, 3, 2 h, 2 w]: nearest upsampling plus the network's residual."""

    def __init__(self, channels: int = 16, depth: int = 5) -> None:
        super().__init__()
        layers: list[Any] = [nn.Conv2d(3, channels, 3, padding=1), nn.PReLU(channels)]
        for _ in range(depth):
            layers += [nn.Conv2d(channels, channels, 3, padding=1), nn.PReLU(channels)]
        layers += [nn.Conv2d(channels, 3 * SCALE**2, 3, padding=1), nn.PixelShuffle(SCALE)]
        self.layers = nn.Sequential(*layers)

    def forward(self, image: Tensor) -> Tensor:
        """Return the larger picture, not clamped."""
        added: Tensor = self.layers(image)
        return added + functional.interpolate(image, scale_factor=SCALE, mode="nearest")


FULL_SIZE: dict[str, int] = {"channels": 64, "depth": 16}
"""Width and depth of the published network."""


class Clamped(nn.Module):
    """The exported network: its output is clamped to 0..1."""

    def __init__(self, network: nn.Module) -> None:
        super().__init__()
        self.network = network

    def forward(self, image: Tensor) -> Tensor:
        """RGB [b, 3, h, w] -> RGB [b, 3, 2 h, 2 w]."""
        larger: Tensor = self.network(image)
        return torch.clamp(larger, 0, 1)
