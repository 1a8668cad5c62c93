"""Simulates people who click for training: anywhere on the thing, then anywhere that the mask is wrong."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional

REACHES = (1, 3, 7)
"""Sides of the squares by which a click is drawn into the middle of what is wrong, in cells."""


def drawn(wrong: Tensor, truth: Tensor, cell: float) -> tuple[Tensor, Tensor]:
    """A random click for each of a batch.

    Args:
        wrong: [b, h, w] bool, cells that a click may fall on; where there are none it falls on the truth.
        truth: [b, h, w] bool.
        cell: pixels to a cell.

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
    """The corners [b, 2, 2] in pixels of masks [b, h, w], each moved by a share of the box's own size at most."""
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
