"""Inpainting: LaMa's fast Fourier convolutions."""

from __future__ import annotations

from functools import partial
from typing import Any

import torch
from torch import nn
from torch.nn import functional

from models.zoo.examples import picture, plain
from models.zoo.recipe import Base


class Fourier(nn.Module):
    """A convolution of a picture's spectrum."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.layer = nn.Sequential(nn.Conv2d(2 * width, 2 * width, 1, bias=False), nn.BatchNorm2d(2 * width), nn.ReLU())

    def forward(self, image: Any) -> Any:
        """Return maps of the same shape."""
        spectrum = torch.fft.rfft2(image, norm="ortho")
        both = self.layer(torch.cat([spectrum.real, spectrum.imag], 1))
        real, imaginary = both.chunk(2, 1)
        return torch.fft.irfft2(torch.complex(real, imaginary), s=image.shape[-2:], norm="ortho")


class Lama(nn.Module):
    """LaMa: holes are filled by fast Fourier convolutions."""

    def __init__(self, width: int = 8) -> None:
        super().__init__()
        self.down = nn.Sequential(
            nn.ReflectionPad2d(3), nn.Conv2d(4, width, 7), nn.ReLU(), nn.Conv2d(width, width, 3, 2, 1)
        )
        self.local = nn.ModuleList(nn.Conv2d(width, width, 3, padding=1, padding_mode="reflect") for _ in range(2))
        self.everywhere = nn.ModuleList(Fourier(width) for _ in range(2))
        self.up = nn.Sequential(
            nn.ConvTranspose2d(width, width, 3, 2, 1, 1), nn.ReLU(), nn.Conv2d(width, 3, 7, padding=3)
        )

    def forward(self, image: Any, mask: Any) -> Any:
        """Return the picture with what the mask covers, 1, filled."""
        found = self.down(torch.cat([image * (1 - mask), mask], 1))
        for near, far in zip(self.local, self.everywhere, strict=True):
            found = found + functional.relu(near(found) + far(found))
        return torch.sigmoid(self.up(found)) * mask + image * (1 - mask)


def hole(side: int) -> torch.Tensor:
    """Return a mask with one rectangle, float32 [1, 1, side, side]."""
    mask = torch.zeros(1, 1, side, side)
    mask[:, :, side // 4 : side // 2, side // 3 : -side // 4] = 1
    return mask


BASES = {
    "lama": Base(partial(plain, Lama, {"image": lambda: picture(32), "mask": lambda: hole(32)}, ["output"], {}),
                 "dynamo18 dynamo20", "slim"),
}  # fmt: skip
