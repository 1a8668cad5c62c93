"""Pretraining for Mask2Former: the pixel decoder and the backbone learn the class of each cell of a picture.

While queries match nothing, they hardly train the features: from random weights it takes thousands of steps until the
shapes are distinguished. A linear head on each feature map, which predicts the shapes and colours in every cell, trains
the features in minutes. The heads are discarded.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from models.mask2former import batches
from models.scenes import cache
from models.scenes.names import CATEGORIES, COLOURS, SHAPES

# isort: split
import torch
from torch import Tensor, nn
from torch.nn.functional import avg_pool2d, log_softmax, one_hot

STRIDES = (4, 8, 16, 32)
SEGMENTER = "segmenter."


class Dense(nn.Module):
    """A Mask2Former's backbone and pixel decoder, with two linear heads on every feature map."""

    def __init__(self, segmenter: Any) -> None:
        super().__init__()
        self.segmenter = segmenter
        widths = [segmenter.config.mask_feature_size] + 3 * [segmenter.config.feature_size]
        self.kinds = nn.ModuleList(nn.Conv2d(width, len(CATEGORIES), 1) for width in widths)
        self.colours = nn.ModuleList(nn.Conv2d(width, len(COLOURS) + 1, 1) for width in widths)

    def forward(self, pixel_values: Tensor) -> list[tuple[Tensor, Tensor]]:
        """Logits of classes and of colours, each [n, c, h, w], from the finest map to the coarsest."""
        level = self.segmenter.model.pixel_level_module(pixel_values)
        maps = [level.decoder_last_hidden_state, *reversed(level.decoder_hidden_states)]
        return [(kind(x), colour(x)) for kind, colour, x in zip(self.kinds, self.colours, maps, strict=True)]

    def loss(self, pictures: cache.Cache, number: int, size: int) -> Tensor:
        """Cross entropy with the shares of classes and colours in every cell; rare ones weigh more."""
        chosen, flips = batches.choice(pictures, number, size)
        kinds, colours = truth(pictures, chosen, flips)
        total = torch.zeros(())
        answers = self(batches.images(pictures, chosen, flips))
        for stride, (kind, colour) in zip(STRIDES, answers, strict=True):
            total = total + _cross_entropy(kind, avg_pool2d(kinds, stride), len(SHAPES))
            total = total + 0.5 * _cross_entropy(colour, avg_pool2d(colours, stride), len(COLOURS))
        return total


def truth(pictures: cache.Cache, chosen: list[int], flips: list[bool]) -> tuple[Tensor, Tensor]:
    """Return one-hot classes and colours (the last: no thing) of every pixel, each [n, c, h, w]."""
    kinds, colours = [], []
    for number, flip in zip(chosen, flips, strict=True):
        instances, stuff = pictures.instances[number].astype(int), pictures.stuff[number].astype(int)
        shape = np.append(-1, pictures.shapes[number])[instances]
        colour = np.append(len(COLOURS), pictures.colours[number])[instances]
        kind = np.where(instances > 0, shape, stuff + len(SHAPES))
        kinds.append(kind[:, :: -1 if flip else 1])
        colours.append(colour[:, :: -1 if flip else 1])
    made = [(np.stack(kinds), len(CATEGORIES)), (np.stack(colours), len(COLOURS) + 1)]
    hot = [one_hot(torch.from_numpy(one.astype(np.int64)), count).movedim(-1, 1).float() for one, count in made]
    return hot[0], hot[1]


def _cross_entropy(logits: Tensor, shares: Tensor, things: int) -> Tensor:
    """Return the mean over the cells of [n, c, h, w]; the first `things` classes weigh four times as much."""
    weights = torch.ones(shares.shape[1])
    weights[:things] = 4
    weighted = shares * weights[:, None, None]
    return -(weighted * log_softmax(logits, 1)).sum() / weighted.sum()


def weights(checkpoint: dict[str, Any]) -> dict[str, Any]:
    """Return the segmenter's part of the weights of a `Dense`."""
    return {name.removeprefix(SEGMENTER): value for name, value in checkpoint.items() if name.startswith(SEGMENTER)}
