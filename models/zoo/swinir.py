"""SwinIR: image restoration by residual groups of Swin transformer blocks, for pictures of one size."""

from __future__ import annotations

from functools import partial
from typing import Any

import torch
from torch import nn

from models.zoo.examples import picture, plain
from models.zoo.recipe import Base

MEAN = (0.4488, 0.4371, 0.4040)


class WindowAttention(nn.Module):
    """Attention within windows of side x side pixels, with a bias for each offset of two pixels."""

    def __init__(self, width: int, heads: int, side: int) -> None:
        super().__init__()
        self.heads, self.scale = heads, (width // heads) ** -0.5
        self.bias = nn.Parameter(torch.randn((2 * side - 1) ** 2, heads) * 0.02)
        at = torch.stack(torch.meshgrid(torch.arange(side), torch.arange(side), indexing="ij")).flatten(1)
        apart = at[:, :, None] - at[:, None] + side - 1  # [2, side^2, side^2]
        self.register_buffer("offsets", apart[0] * (2 * side - 1) + apart[1])
        self.queries, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)

    def forward(self, windows: Any, mask: Any) -> Any:
        """Return windows [windows, pixels, width]; `mask` [windows, pixels, pixels] is added to the scores, or None."""
        count, pixels, width = (int(size) for size in windows.shape)
        queries, keys, values = (
            self.queries(windows).reshape(count, pixels, 3, self.heads, width // self.heads).permute(2, 0, 3, 1, 4)
        )
        scores = (queries * self.scale) @ keys.transpose(-2, -1)
        bias = self.bias[self.offsets.view(-1)].view(pixels, pixels, self.heads)
        scores = scores + bias.permute(2, 0, 1)[None]
        if mask is not None:
            scores = scores + mask[:, None]
        return self.out((scores.softmax(-1) @ values).transpose(1, 2).reshape(count, pixels, width))


class SwinBlock(nn.Module):
    """Window attention, shifted by half a window in every second block, then an MLP."""

    def __init__(self, width: int, heads: int, size: int, window: int, shift: int) -> None:
        super().__init__()
        self.size, self.window, self.shift = size, window, shift
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(2))
        self.attention = WindowAttention(width, heads, window)
        self.perceptron = nn.Sequential(nn.Linear(width, 2 * width), nn.GELU(), nn.Linear(2 * width, width))
        self.register_buffer("mask", self._mask() if shift else None)

    def _mask(self) -> torch.Tensor:
        """Return the mask [windows, pixels, pixels]: -100 for pixels that are not neighbours in the picture."""
        areas, area = torch.zeros(1, self.size, self.size, 1), 0
        ends = (slice(0, -self.window), slice(-self.window, -self.shift), slice(-self.shift, None))
        for rows in ends:
            for columns in ends:
                areas[:, rows, columns] = area
                area += 1
        windows = self._cut(areas)[..., 0]
        return (windows[:, None] != windows[:, :, None]).float() * -100

    def _cut(self, maps: torch.Tensor) -> torch.Tensor:
        """Return windows, [1, H, W, C] -> [H W / window^2, window^2, C]."""
        cells, width = self.size // self.window, int(maps.shape[-1])
        parts = maps.view(1, cells, self.window, cells, self.window, width)
        return parts.permute(0, 1, 3, 2, 4, 5).reshape(-1, self.window**2, width)

    def _join(self, windows: torch.Tensor) -> torch.Tensor:
        cells, width = self.size // self.window, int(windows.shape[-1])
        parts = windows.view(1, cells, cells, self.window, self.window, width)
        return parts.permute(0, 1, 3, 2, 4, 5).reshape(1, self.size, self.size, width)

    def forward(self, tokens: Any) -> Any:
        """Return tokens of the same shape, [1, H W, C]."""
        maps = self.norms[0](tokens).view(1, self.size, self.size, int(tokens.shape[-1]))
        if self.shift:
            maps = torch.roll(maps, (-self.shift, -self.shift), (1, 2))
        maps = self._join(self.attention(self._cut(maps), self.mask))
        if self.shift:
            maps = torch.roll(maps, (self.shift, self.shift), (1, 2))
        tokens = tokens + maps.flatten(1, 2)
        return tokens + self.perceptron(self.norms[1](tokens))


class ResidualGroup(nn.Module):
    """Swin blocks and a convolution, added to the input."""

    def __init__(self, width: int, heads: int, size: int, window: int, depth: int) -> None:
        super().__init__()
        shifts = (window // 2 * (index % 2) for index in range(depth))
        self.blocks = nn.Sequential(*(SwinBlock(width, heads, size, window, shift) for shift in shifts))
        self.last = nn.Conv2d(width, width, 3, padding=1)

    def forward(self, tokens: Any) -> Any:
        """Return tokens of the same shape."""
        found = self.blocks(tokens)
        return tokens + _tokens(self.last(_maps(found, self.blocks[0].size)))


class SwinIr(nn.Module):
    """SwinIR with PixelShuffle: the sum of shallow features and residual groups is enlarged."""

    def __init__(self, size: int, width: int = 180, depths: tuple[int, ...] = (6,) * 6, heads: int = 6,
                 window: int = 8, scale: int = 4, features: int = 64) -> None:  # fmt: skip
        super().__init__()
        self.size = size
        self.register_buffer("mean", torch.tensor(MEAN).view(1, 3, 1, 1))
        self.first, self.start = nn.Conv2d(3, width, 3, padding=1), nn.LayerNorm(width)
        self.groups = nn.Sequential(*(ResidualGroup(width, heads, size, window, depth) for depth in depths))
        self.norm, self.body = nn.LayerNorm(width), nn.Conv2d(width, width, 3, padding=1)
        up: list[nn.Module] = [nn.Conv2d(width, features, 3, padding=1), nn.LeakyReLU()]
        for _ in range(scale.bit_length() - 1):
            up += [nn.Conv2d(features, 4 * features, 3, padding=1), nn.PixelShuffle(2)]
        self.up = nn.Sequential(*up, nn.Conv2d(features, 3, 3, padding=1))

    def forward(self, image: Any) -> Any:
        """Return pictures of `scale` times the size."""
        first = self.first(image - self.mean)
        found = self.norm(self.groups(self.start(_tokens(first))))
        return self.up(self.body(_maps(found, self.size)) + first) + self.mean


class SwinIrDenoiser(nn.Module):
    """SwinIR for noise and JPEG artefacts: its output is added to the picture."""

    def __init__(self, size: int, width: int = 180, depths: tuple[int, ...] = (6,) * 6, heads: int = 6,
                 window: int = 8) -> None:  # fmt: skip
        super().__init__()
        self.network = SwinIr(size, width, depths, heads, window, scale=1, features=width)

    def forward(self, image: Any) -> Any:
        """Return the picture without its noise."""
        return image + self.network(image)


def _tokens(maps: torch.Tensor) -> torch.Tensor:
    """Return tokens, [1, C, H, W] -> [1, H W, C]."""
    return maps.flatten(2).transpose(1, 2)


def _maps(tokens: torch.Tensor, size: int) -> torch.Tensor:
    """Return maps, [1, H W, C] -> [1, C, H, W]."""
    return tokens.transpose(1, 2).view(1, int(tokens.shape[-1]), size, size)


def _recipe(network: Any, side: int, exports: str, conversions: str) -> Base:
    form = {"width": 24, "depths": (2, 2), "heads": 3}
    return Base(
        partial(plain, partial(network, side, **form), {"input": partial(picture, side)}, ["output"], {}),
        exports, conversions,
    )  # fmt: skip


BASES = {
    "swinir": _recipe(partial(SwinIr, scale=2, features=16), 32, "ts17 ts11 dynamo18", "sim slim fp16-io"),
    "swinir-denoise": _recipe(partial(SwinIrDenoiser, window=7), 28, "ts17", "ort-all"),
}
