"""Random clicks for training: anywhere on the object, then anywhere where the mask is wrong."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional

REACHES = (1, 3, 7)
"""Sides in cells of the averaging squares that move a click towards the middle of the wrong region."""


def drawn(wrong: Tensor, truth: Tensor, cell: float) -> tuple[Tensor, Tensor]:
    """Return a random click for each mask of a batch.

    Args:
        wrong: [b, h, w] bool, cells for the click; without any, the click falls on the truth.
        truth: [b, h, w] bool.
        cell: pixels per cell.

    Returns:
        x and y [b, 2] in pixels, and labels [b].
    """
    allowed = torch.where(wrong.flatten(1).any(1)[:, None, None], wrong, truth).float()
    side = REACHES[int(torch.randint(len(REACHES), ()))]
    inner = functional.avg_pool2d(allowed[:, None], side, 1, side // 2)[:, 0] if side > 1 else allowed
    chosen = (allowed * (0.1 + inner + 0.5 * torch.rand_like(inner))).flatten(1).argmax(1)
    width = truth.shape[-1]
    place = torch.stack([chosen % width, chosen // width], -1)
    labels = truth.flatten(1).gather(1, chosen[:, None])[:, 0].long()
    return (place + torch.rand(place.shape)) * cell - 0.5, labels


def boxes(truth: Tensor, cell: float, jitter: float) -> Tensor:
    """Return the box corners [b, 2, 2] in pixels of masks [b, h, w], moved by at most `jitter` of the box's size."""
    height, width = truth.shape[-2:]
    columns, rows = truth.any(1), truth.any(2)
    across, down = torch.arange(width), torch.arange(height)
    low = torch.stack([_first(columns, across), _first(rows, down)], -1)
    high = torch.stack([_last(columns, across), _last(rows, down)], -1) + 1
    size = (high - low)[:, None]
    corners = torch.stack([low, high], 1) + jitter * size * (2 * torch.rand(len(truth), 2, 2) - 1)
    return corners * cell - 0.5


def _first(any_there: Tensor, places: Tensor) -> Tensor:
    return torch.where(any_there, places, places[-1]).amin(1)


def _last(any_there: Tensor, places: Tensor) -> Tensor:
    return torch.where(any_there, places, places[0]).amax(1)
