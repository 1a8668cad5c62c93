"""A promptable segmenter with the architecture of EdgeSAM (Zhou, Li, Loy and Dai, 2023), at a fraction of its width.

A picture goes through a convolutional encoder once. Clicks, boxes and masks become tokens, and a small two-way
transformer attends between tokens and picture, as in Segment Anything (Kirillov and others, ICCV 2023).
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from models.convolutions import Block, convolution

STRIDE = 16
"""Pixels of the picture per cell of the embedding."""

FINER = 4
"""Cells of a mask per cell of the embedding, in each direction."""

MASKS = 4
"""The first mask is for unambiguous prompts; the others are for ambiguous ones."""


class Normalized(nn.Module):
    """A layer norm over the channels of [b, c, h, w]."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(channels))
        self.bias = nn.Parameter(torch.zeros(channels))

    def forward(self, value: Tensor) -> Tensor:
        """[b, c, h, w] -> the same shape, every cell with mean 0 and standard deviation 1, then scaled."""
        mean = value.mean(1, keepdim=True)
        variance = (value - mean).pow(2).mean(1, keepdim=True)
        value = (value - mean) / torch.sqrt(variance + 1e-6)
        return self.weight[:, None, None] * value + self.bias[:, None, None]


class Encoder(nn.Module):
    """RGB [b, 3, side, side], normalized with ImageNet's statistics -> embedding [b, c, side / 16, side / 16]."""

    def __init__(self, width: int = 16, channels: int = 64, blocks: tuple[int, ...] = (1, 2, 4, 2)) -> None:
        super().__init__()
        widths = [2 * width, 4 * width, 7 * width, 10 * width]
        self.stem = nn.Sequential(convolution(3, width, 3, 2), nn.ReLU(inplace=True))
        self.stages = nn.ModuleList()
        for before, after, count, side in zip([width, *widths], widths, blocks, (3, 3, 5, 5), strict=False):
            layers = [convolution(before, after, 3, 2), nn.ReLU(inplace=True)]
            self.stages.append(nn.Sequential(*layers, *(Block(after, side) for _ in range(count))))
        self.fine, self.coarse = nn.Conv2d(widths[2], channels, 1), nn.Conv2d(widths[3], channels, 1)
        self.neck = nn.Sequential(
            Normalized(channels), nn.Conv2d(channels, channels, 3, padding=1, bias=False), Normalized(channels)
        )

    def forward(self, image: Tensor) -> Tensor:
        """Return the embedding; features of stride 32 give context to those of stride 16."""
        first = self.stages[1](self.stages[0](self.stem(image)))
        fine = self.stages[2](first)
        coarse = self.coarse(self.stages[3](fine))
        larger = functional.interpolate(coarse, scale_factor=2.0, mode="bilinear", align_corners=False)
        embedding: Tensor = self.neck(self.fine(fine) + larger)
        return embedding


class PromptEncoder(nn.Module):
    """Embeds points, corners of a box and a mask as vectors of `channels` numbers."""

    frequencies: Tensor

    def __init__(self, side: int, channels: int = 64, inner: int = 16) -> None:
        super().__init__()
        self.side = side
        self.register_buffer("frequencies", torch.randn(2, channels // 2))
        self.labels = nn.Parameter(torch.randn(4, channels))
        self.no_point = nn.Parameter(torch.randn(channels))
        self.no_mask = nn.Parameter(torch.randn(channels))
        self.mask = nn.Sequential(
            nn.Conv2d(1, inner // 4, 2, 2), Normalized(inner // 4), nn.GELU(),
            nn.Conv2d(inner // 4, inner, 2, 2), Normalized(inner), nn.GELU(), nn.Conv2d(inner, channels, 1),
        )  # fmt: skip

    def positions(self, share: Tensor) -> Tensor:
        """Return random Fourier features [..., c] of x and y [..., 2] relative to the picture's side."""
        x, y = (2 * share - 1).split(1, -1)  # no matrix product, which would be in bfloat16 during training
        angles = 2 * math.pi * (x * self.frequencies[0] + y * self.frequencies[1])
        return torch.cat([torch.sin(angles), torch.cos(angles)], -1)

    def grid(self) -> Tensor:
        """The features of every cell of the embedding, [1, c, h, w]."""
        middles = (torch.arange(self.side // STRIDE, device=self.frequencies.device) + 0.5) * STRIDE / self.side
        down, across = torch.meshgrid(middles, middles, indexing="ij")
        return self.positions(torch.stack([across, down], -1)).permute(2, 0, 1)[None]

    def points(self, coords: Tensor, labels: Tensor) -> Tensor:
        """[b, n, 2] in pixels of the encoder's input and labels [b, n] -> [b, n, c]."""
        embedding = self.positions((coords + 0.5) / self.side)
        labels = labels[..., None]
        embedding = embedding * (labels != -1) + self.no_point * (labels == -1)
        for label in range(4):
            embedding = embedding + self.labels[label] * (labels == label)
        return embedding

    def masks(self, mask: Tensor, has_mask: Tensor) -> Tensor:
        """Logits [b, 1, 4 h, 4 w], and whether there is a mask -> [b, c, h, w]."""
        given: Tensor = self.mask(mask)
        return has_mask * given + (1 - has_mask) * self.no_mask[:, None, None]


class Attention(nn.Module):
    """Multi-head attention with fewer inner channels than its input."""

    def __init__(self, channels: int, heads: int, fewer: int = 1) -> None:
        super().__init__()
        self.heads, inner = heads, channels // fewer
        self.scale = (inner // heads) ** -0.5
        self.query, self.key, self.value = (nn.Linear(channels, inner) for _ in range(3))
        self.out = nn.Linear(inner, channels)

    def forward(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        """Return [b, n, c], in the query's shape."""
        parts = [self.query(query), self.key(key), self.value(value)]
        q, k, v = (part.unflatten(-1, (self.heads, -1)).transpose(1, 2) for part in parts)
        weights = torch.softmax(q @ k.transpose(-1, -2) * self.scale, -1)
        mixed: Tensor = self.out((weights @ v).transpose(1, 2).flatten(2))
        return mixed


class TwoWay(nn.Module):
    """Two-way attention: tokens attend to tokens and to the picture, and the picture to the tokens."""

    def __init__(self, channels: int, heads: int, hidden: int, first: bool) -> None:
        super().__init__()
        self.first = first
        self.among = Attention(channels, heads)
        self.to_picture, self.to_tokens = (Attention(channels, heads, 2) for _ in range(2))
        self.think = nn.Sequential(nn.Linear(channels, hidden), nn.ReLU(), nn.Linear(hidden, channels))
        self.norms = nn.ModuleList(nn.LayerNorm(channels) for _ in range(4))

    def forward(self, tokens: Tensor, picture: Tensor, prompt: Tensor, grid: Tensor) -> tuple[Tensor, Tensor]:
        """Return the updated tokens [b, n, c] and picture [b, cells, c]; positions are added before each attention."""
        if self.first:
            tokens = self.among(tokens, tokens, tokens)
        else:
            placed = tokens + prompt
            tokens = tokens + self.among(placed, placed, tokens)
        tokens = self.norms[0](tokens)
        tokens = self.norms[1](tokens + self.to_picture(tokens + prompt, picture + grid, picture))
        tokens = self.norms[2](tokens + self.think(tokens))
        picture = self.norms[3](picture + self.to_tokens(picture + grid, tokens + prompt, tokens))
        return tokens, picture


def perceptron(widths: list[int]) -> nn.Sequential:
    """Linear layers with ReLU between them."""
    layers: list[nn.Module] = []
    for before, after in pairwise(widths):
        layers += [nn.Linear(before, after), nn.ReLU()]
    return nn.Sequential(*layers[:-1])


class MaskDecoder(nn.Module):
    """From a picture's and a prompt's embedding to masks and their predicted IoU."""

    def __init__(self, channels: int = 64, depth: int = 2, heads: int = 2, hidden: int = 256) -> None:
        super().__init__()
        fine = channels // 4
        self.quality_token = nn.Parameter(torch.randn(1, channels))
        self.mask_tokens = nn.Parameter(torch.randn(MASKS, channels))
        self.layers = nn.ModuleList(TwoWay(channels, heads, hidden, number == 0) for number in range(depth))
        self.last, self.last_norm = Attention(channels, heads, 2), nn.LayerNorm(channels)
        self.larger = nn.Sequential(
            nn.ConvTranspose2d(channels, fine, 2, 2), Normalized(fine), nn.GELU(),
            nn.ConvTranspose2d(fine, fine, 2, 2), nn.GELU(),
        )  # fmt: skip
        self.kernels = nn.ModuleList(perceptron([channels, channels, channels, fine]) for _ in range(MASKS))
        self.quality = perceptron([channels, channels, channels, MASKS])

    def forward(self, embedding: Tensor, grid: Tensor, sparse: Tensor, dense: Tensor) -> tuple[Tensor, Tensor]:
        """Embedding and dense prompt [b, c, h, w], sparse [b, n, c] -> IoU [b, 4], logits [b, 4, 4 h, 4 w]."""
        own = torch.cat([self.quality_token, self.mask_tokens])
        prompt = torch.cat([own.expand(sparse.shape[0], -1, -1), sparse], 1)
        picture = (embedding + dense).flatten(2).transpose(1, 2)
        places, tokens = grid.flatten(2).transpose(1, 2), prompt
        for layer in self.layers:
            tokens, picture = layer(tokens, picture, prompt, places)
        tokens = self.last_norm(tokens + self.last(tokens + prompt, picture + places, picture))
        fine: Tensor = self.larger(picture.transpose(1, 2).unflatten(2, embedding.shape[2:]))
        kernels = torch.stack([kernel(tokens[:, 1 + number]) for number, kernel in enumerate(self.kernels)], 1)
        masks = (kernels @ fine.flatten(2)).unflatten(2, fine.shape[2:])
        return self.quality(tokens[:, 0]), masks


class Segmenter(nn.Module):
    """Both halves, as they are trained."""

    def __init__(self, side: int = 256, width: int = 16, channels: int = 64, hidden: int = 256) -> None:
        super().__init__()
        self.encoder = Encoder(width, channels)
        self.prompts = PromptEncoder(side, channels)
        self.decoder = MaskDecoder(channels, hidden=hidden)

    def decode(self, embedding: Tensor, coords: Tensor, labels: Tensor, mask: Tensor, has: Tensor) -> Any:
        """IoU [b, 4] and logits [b, 4, h, w] of prompts; `has` broadcasts with [b, 1, 1, 1]."""
        sparse, dense = self.prompts.points(coords, labels), self.prompts.masks(mask, has)
        return self.decoder(embedding, self.prompts.grid(), sparse, dense)


FULL_SIZE: dict[str, int] = {"side": 1024, "width": 48, "channels": 256, "hidden": 2048}
"""About the width of the published network."""
