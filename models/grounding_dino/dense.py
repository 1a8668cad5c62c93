"""Which places of the encoder's maps propose which thing: those in the middle of it, in maps that suit its size."""

from __future__ import annotations

import torch
from torch import Tensor

STRIDES = (8, 16, 32, 64)
SIZES = ((0.0, 0.34), (0.2, 0.6), (0.4, 1.0))
"""Sizes of things, as shares of the picture's side, that a map is answerable for; none for the last."""

MIDDLE = 0.35
"""How far from the middle, in shares of the thing's width and height."""


def sides(picture: int) -> list[int]:
    """Places along each map of a square picture of so many pixels."""
    return [-(-picture // stride) for stride in STRIDES]


def assigned(boxes: Tensor, sides: list[int]) -> tuple[Tensor, Tensor]:
    """The places that propose something and the thing that each does, both [p].

    Args:
        boxes: middle and size in shares of the picture, [n, 4].
        sides: places along each map, which follow one another row by row.

    Every thing has at least the place of the finest map that is nearest to its middle, unless another's is nearer.
    """
    far = [torch.full((side * side, len(boxes)), torch.inf) for side in sides]
    if not len(boxes):
        return torch.zeros(0, dtype=torch.long), torch.zeros(0, dtype=torch.long)
    size = boxes[:, 2:].prod(1).sqrt()
    for level, ((least, most), side) in enumerate(zip(SIZES, sides, strict=False)):
        at = (torch.arange(side) + 0.5) / side
        here = torch.stack(torch.meshgrid(at, at, indexing="xy"), -1).reshape(-1, 1, 2)
        distance = ((here - boxes[:, :2]).abs() / boxes[:, 2:]).amax(-1)
        chosen = (distance < MIDDLE) & (size >= least) & (size < most)
        if level == 0:
            chosen[distance.argmin(0), torch.arange(len(boxes))] = True
        far[level] = torch.where(chosen, distance, torch.inf)
    nearest, thing = torch.cat(far).min(1)
    places = torch.isfinite(nearest).nonzero()[:, 0]
    return places, thing[places]
