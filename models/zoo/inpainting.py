"""Inpainting: LaMa's fast Fourier convolutions."""

from __future__ import annotations

from functools import partial
from itertools import pairwise
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
    """LaMa: masked regions are filled by fast Fourier convolutions."""

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


class MirroredFourier(nn.Module):
    """A convolution of a picture's spectrum with DFT matrices: only half is stored, and mirrored for the inverse."""

    def __init__(self, width: int, side: int) -> None:
        super().__init__()
        self.layer = nn.Sequential(nn.Conv2d(2 * width, 2 * width, 1, bias=False), nn.BatchNorm2d(2 * width), nn.ReLU())
        turns = torch.outer(torch.arange(side), torch.arange(side)) % side * (2 * torch.pi / side)
        self.register_buffer("real", torch.cos(turns) / side**0.5)
        self.register_buffer("imaginary", -torch.sin(turns) / side**0.5)

    def forward(self, image: Any) -> Any:
        """Return maps of the same shape, [N, C, side, side]."""
        kept = image.shape[-1] // 2 + 1
        real, imaginary = image @ self.real[:, :kept], image @ self.imaginary[:, :kept]
        real, imaginary = self.real @ real - self.imaginary @ imaginary, self.real @ imaginary + self.imaginary @ real
        both = torch.stack([real, imaginary], 2).flatten(1, 2)
        found = self.layer(both).unflatten(1, (-1, 2))
        real, imaginary = found[:, :, 0], found[:, :, 1]
        # the inverse along the rows: the matrix's conjugate
        real, imaginary = self.real @ real + self.imaginary @ imaginary, self.real @ imaginary - self.imaginary @ real
        real = torch.cat([real, real[..., 1:-1].flip(-1)], -1)
        imaginary = torch.cat([imaginary, -imaginary[..., 1:-1].flip(-1)], -1)
        return real @ self.real + imaginary @ self.imaginary


class FourierBlock(nn.Module):
    """A fast Fourier convolution: a local and a global path that exchange features."""

    def __init__(self, local: int, everywhere: int, unit: nn.Module) -> None:
        super().__init__()
        self.near, self.to_near = (_mirrored(inputs, local) for inputs in (local, everywhere))
        self.to_far = _mirrored(local, everywhere)
        half = everywhere // 2
        self.narrow = nn.Sequential(nn.Conv2d(everywhere, half, 1, bias=False), nn.BatchNorm2d(half), nn.ReLU())
        self.unit, self.widen = unit, nn.Conv2d(half, everywhere, 1, bias=False)
        self.norms = nn.ModuleList(nn.BatchNorm2d(width) for width in (local, everywhere))

    def forward(self, near: Any, far: Any) -> Any:
        """Return both paths."""
        narrow = self.narrow(far)
        found = self.near(near) + self.to_near(far), self.to_far(near) + self.widen(narrow + self.unit(narrow))
        return [torch.relu(norm(each)) for norm, each in zip(self.norms, found, strict=True)]


def _mirrored(inputs: int, outputs: int) -> nn.Module:
    return nn.Conv2d(inputs, outputs, 3, padding=1, padding_mode="reflect", bias=False)


class BigLama(nn.Module):
    """LaMa's generator: three downsamplings, residual blocks of two Fourier convolutions, three upsamplings."""

    def __init__(self, side: int, width: int = 64, blocks: int = 18, matrices: bool = False) -> None:
        super().__init__()
        sizes = [width << level for level in range(4)]
        self.start = nn.Sequential(nn.ReflectionPad2d(3), nn.Conv2d(4, width, 7), nn.BatchNorm2d(width), nn.ReLU())
        self.down = nn.Sequential(*(_halved(*pair) for pair in pairwise(sizes)))
        self.local = sizes[-1] // 4
        far = sizes[-1] - self.local

        def unit() -> nn.Module:
            return MirroredFourier(far // 2, side // 8) if matrices else Fourier(far // 2)

        self.blocks = nn.ModuleList(FourierBlock(self.local, far, unit()) for _ in range(2 * blocks))
        self.up = nn.Sequential(*(_doubled(*pair) for pair in zip(sizes[:0:-1], sizes[-2::-1], strict=True)))
        self.end = nn.Sequential(nn.ReflectionPad2d(3), nn.Conv2d(width, 3, 7), nn.Sigmoid())

    def forward(self, image: Any, mask: Any) -> Any:
        """Return the picture with what the mask covers, 1, filled."""
        found = self.down(self.start(torch.cat([image * (1 - mask), mask], 1)))
        near, far = found[:, : self.local], found[:, self.local :]
        for first, second in zip(self.blocks[::2], self.blocks[1::2], strict=True):
            more = second(*first(near, far))
            near, far = near + more[0], far + more[1]
        return self.end(self.up(torch.cat([near, far], 1))) * mask + image * (1 - mask)


def _halved(inputs: int, outputs: int) -> nn.Module:
    layer = nn.Conv2d(inputs, outputs, 3, 2, 1, padding_mode="reflect", bias=False)
    return nn.Sequential(layer, nn.BatchNorm2d(outputs), nn.ReLU())


def _doubled(inputs: int, outputs: int) -> nn.Module:
    layer = nn.ConvTranspose2d(inputs, outputs, 3, 2, 1, 1)
    return nn.Sequential(layer, nn.BatchNorm2d(outputs), nn.ReLU())


def hole(side: int) -> torch.Tensor:
    """Return a mask with one rectangle, float32 [1, 1, side, side]."""
    mask = torch.zeros(1, 1, side, side)
    mask[:, :, side // 4 : side // 2, side // 3 : -side // 4] = 1
    return mask


BASES = {
    "lama": Base(partial(plain, Lama, {"image": lambda: picture(32), "mask": lambda: hole(32)}, ["output"], {}),
                 "dynamo18 dynamo20", "slim"),
    "big-lama": Base(partial(plain, partial(BigLama, 64, 8, 1), {
        "image": lambda: picture(64), "mask": lambda: hole(64)}, ["output"], {}), "dynamo18", "fp16-io"),
    "big-lama-matrices": Base(partial(plain, partial(BigLama, 64, 8, 1, True), {
        "image": lambda: picture(64), "mask": lambda: hole(64)}, ["output"], {}), "ts17 ts13", "slim"),
}  # fmt: skip
