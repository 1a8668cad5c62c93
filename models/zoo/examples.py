"""Example inputs, a network with named inputs and outputs, and examples of both."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import nn
from torch.nn import functional

from models.zoo.recipe import Example
from models.zoo.weights import enliven


def picture(side: int | tuple[int, int], batch: int = 1, channels: int = 3) -> torch.Tensor:
    """Return pictures [batch, channels, height, width] from 0 to 1: large soft shapes and some grain."""
    height, width = (side, side) if isinstance(side, int) else side
    shapes = functional.interpolate(torch.rand(batch, channels, 6, 6), (height, width), mode="bilinear")
    return (shapes * 0.85 + torch.rand(batch, channels, height, width) * 0.15).clamp(0, 1)


def photo(side: int | tuple[int, int], batch: int = 1) -> torch.Tensor:
    """Return pictures normalized with ImageNet's statistics."""
    return (picture(side, batch) - 0.45) / 0.225


def tokens(vocabulary: int, length: int, batch: int = 1) -> torch.Tensor:
    """Return token ids, int64 [batch, length]."""
    return torch.randint(4, vocabulary, (batch, length))


def mask(length: int, kept: int, batch: int = 1) -> torch.Tensor:
    """Return an attention mask with padding at the end, int64 [batch, length]."""
    return (torch.arange(length) < kept).long().repeat(batch, 1)


def sound(samples: int, batch: int = 1) -> torch.Tensor:
    """Return tones in noise, float32 [batch, samples]."""
    time = torch.arange(samples) / 16000
    tones = [torch.sin(2 * torch.pi * pitch * time) for pitch in (220.0, 660.0, 1900.0)]
    return sum(tones, torch.randn(batch, samples) * 0.1) * 0.2


class Named(nn.Module):
    """Wraps a network with keyword arguments and named results: positional arguments in, a tuple out."""

    def __init__(self, network: nn.Module, inputs: Sequence[str], outputs: Sequence[str], **fixed: Any) -> None:
        super().__init__()
        self.network, self.names, self.outputs, self.fixed = network, list(inputs), list(outputs), fixed

    def forward(self, *values: torch.Tensor) -> tuple[torch.Tensor, ...]:
        """Return the outputs in their order."""
        found = self.network(**dict(zip(self.names, values, strict=True)), **self.fixed)
        return tuple(found[name] for name in self.outputs)


def plain(kind: type[nn.Module], inputs: dict[str, Any], outputs: list[str], free: dict[str, Any]) -> Example:
    """Return the example of a network class without constructor arguments; inputs are created with it."""
    tensors = {name: make() for name, make in inputs.items()}
    return Example(enliven(kind(), tuple(tensors.values())), tensors, outputs, free)
