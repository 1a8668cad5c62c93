"""Assigns objects to cells of the encoder's maps: cells in the object's middle, in a map that suits its size."""

from __future__ import annotations

import torch
from torch import Tensor

STRIDES = (8, 16, 32, 64)
SIZES = ((0.0, 0.34), (0.2, 0.6), (0.4, 1.0))
"""Largest object size of each map, relative to the picture's side; the last map has no limit."""

MIDDLE = 0.35
"""Largest distance from the middle, relative to the object's width and height."""


def sides(picture: int) -> list[int]:
    """Return the number of cells along each map's side for a square picture of this size."""
    return [-(-picture // stride) for stride in STRIDES]


def assigned(boxes: Tensor, sides: list[int]) -> tuple[Tensor, Tensor]:
    """Return the cells that propose an object, and the object of each, both [p].

    Args:
        boxes: [n, 4], centre and size relative to the picture.
        sides: cells along each map's side; the maps' cells are numbered row by row, one map after the other.

    Every object gets at least the finest map's cell nearest to its centre, unless another object is nearer to it.
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
