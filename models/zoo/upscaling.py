"""Super-resolution networks of Real-ESRGAN, and graphs with wide Concat, Split, roll and filters."""

from __future__ import annotations

from functools import partial
from typing import Any

import torch
from torch import nn
from torch.nn import functional

from models.zoo.examples import picture, plain
from models.zoo.recipe import Base

SIZE = {0: "batch", 2: "height", 3: "width"}


class DenseBlock(nn.Module):
    """Five convolutions, each on the concatenation of all earlier maps."""

    def __init__(self, width: int, growth: int) -> None:
        super().__init__()
        outputs = [growth] * 4 + [width]
        self.layers = nn.ModuleList(nn.Conv2d(width + i * growth, o, 3, padding=1) for i, o in enumerate(outputs))

    def forward(self, maps: Any) -> Any:
        """Return maps of the same shape."""
        found = [maps]
        for layer in self.layers:
            found.append(functional.leaky_relu(layer(torch.cat(found, 1)), 0.2))
        return maps + found[-1] * 0.2


class Rrdb(nn.Module):
    """Real-ESRGAN's network of residual dense blocks, with scale 4."""

    def __init__(self, width: int = 64, growth: int = 32, blocks: int = 23) -> None:
        super().__init__()
        self.first = nn.Conv2d(3, width, 3, padding=1)
        self.blocks = nn.ModuleList(
            nn.Sequential(*(DenseBlock(width, growth) for _ in range(3))) for _ in range(blocks)
        )
        self.body, *self.up = (nn.Conv2d(width, width, 3, padding=1) for _ in range(4))
        self.up = nn.ModuleList(self.up)
        self.last = nn.Conv2d(width, 3, 3, padding=1)

    def forward(self, image: Any) -> Any:
        """Return pictures of four times the size."""
        first = found = self.first(image)
        for block in self.blocks:
            found = found + block(found) * 0.2
        found = first + self.body(found)
        for layer in self.up[:2]:
            found = functional.leaky_relu(layer(functional.interpolate(found, scale_factor=2, mode="nearest")), 0.2)
        return self.last(functional.leaky_relu(self.up[2](found), 0.2))


class CompactUpscaler(nn.Module):
    """Real-ESRGAN's compact network: convolutions, PReLU, and one PixelShuffle added to the enlarged picture."""

    def __init__(self, width: int = 64, layers: int = 32, scale: int = 4) -> None:
        super().__init__()
        parts: list[nn.Module] = [nn.Conv2d(3, width, 3, padding=1), nn.PReLU(width)]
        for _ in range(layers):
            parts += [nn.Conv2d(width, width, 3, padding=1), nn.PReLU(width)]
        self.scale = scale
        self.layers = nn.Sequential(*parts, nn.Conv2d(width, 3 * scale**2, 3, padding=1), nn.PixelShuffle(scale))

    def forward(self, image: Any) -> Any:
        """Return pictures of `scale` times the size."""
        return self.layers(image) + functional.interpolate(image, scale_factor=self.scale, mode="nearest")


class DynamicFilters(nn.Module):
    """Denoising by dynamic filters: one of 3 x 3 for each channel, and one of 5 x 5 for each pixel."""

    def __init__(self, width: int = 12) -> None:
        super().__init__()
        self.width = width
        self.body = nn.Conv2d(3, width, 3, padding=1)
        self.filters, self.pixels = nn.Linear(width, width * 9), nn.Conv2d(width, 25, 3, padding=1)
        self.out = nn.Conv2d(width, 3, 1)

    def forward(self, image: Any) -> Any:
        """Return the picture without its noise."""
        maps = torch.relu(self.body(image))
        weights = self.filters(maps.mean((0, 2, 3))).view(self.width, 1, 3, 3).flatten(2).softmax(2)
        maps = functional.conv2d(maps, weights.view(self.width, 1, 3, 3), padding=1, groups=self.width)
        shares = self.pixels(maps).softmax(1)
        neighbours = functional.unfold(self.out(maps) + image, 5, padding=2)
        neighbours = neighbours.view(-1, 3, 25, *(int(size) for size in image.shape[-2:]))
        return (neighbours * shares[:, None]).sum(2)


class WideJoins(nn.Module):
    """Maps that are split into twelve, rolled, normalized separately, joined by one Concat and added by one Sum."""

    def __init__(self, parts: int = 12, width: int = 4) -> None:
        super().__init__()
        self.parts, self.width = parts, width
        self.first = nn.Conv2d(3, parts * width, 3, padding=1)
        self.norms = nn.ModuleList(nn.InstanceNorm2d(width, affine=True) for _ in range(parts))
        self.mix, self.last = nn.Conv2d(parts * width, width, 1), nn.Conv2d(width, 3, 1)

    def forward(self, image: Any) -> Any:
        """Return a picture of the same size."""
        parts = torch.split(self.first(image), self.width, 1)
        moved = [torch.roll(part, (index - 5, 2 * index - 11), (2, 3)) for index, part in enumerate(parts)]
        found = [torch.relu(norm(part)) for norm, part in zip(self.norms, moved, strict=True)]
        return self.last(self.mix(torch.cat(found, 1)) + torch.stack(found).sum(0))


def _recipe(network: Any, side: int, exports: str, conversions: str, grows: bool = True) -> Base:
    free = {"input": SIZE, "output": SIZE} if grows else {}
    return Base(partial(plain, network, {"input": partial(picture, side)}, ["output"], free), exports, conversions)


BASES = {
    "rrdb": _recipe(partial(Rrdb, 8, 4, 2), 24, "ts17 ts11-free", "slim fp16-io"),
    "compact-upscaler": _recipe(partial(CompactUpscaler, 8, 4), 24, "ts17-free ts11 dynamo18", "sim ts11:fp16"),
    "dynamic-filters": _recipe(DynamicFilters, 24, "ts17 dynamo18", "slim", grows=False),
    "wide-joins": _recipe(WideJoins, 32, "ts17 ts13 dynamo18", "sim", grows=False),
}
