"""Draw scenes and train the promptable segmenter on them for a given time.

python -m models.promptable_segmenter.train --minutes 40 --out build/promptable-segmenter
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from models import training
from models.imagenet import DEVIATION, MEAN
from models.promptable_segmenter import random_clicks
from models.promptable_segmenter.clicks import BOX_CORNERS, PADDING
from models.promptable_segmenter.drawings import LEAST, SEEDS, SIDE, Cache, cached
from models.promptable_segmenter.network import FINER, STRIDE, Segmenter
from models.video_matting.train import blurred

CELL = STRIDE // FINER
"""Pixels per cell of a mask."""

ROUNDS = 3
"""Prompts per object; each one after the first is where the previous mask was wrong."""

BOXED = 0.3
"""Share of objects that start with a box instead of a click."""

LEAST_CELLS = 8
"""Minimum number of cells that an object covers by more than half; a pole may cover none."""

PARTS = 0.3
"""Share of objects that are parts, in pictures with parts."""


def targets(rng: np.random.Generator, cache: Cache, number: int, count: int) -> list[np.ndarray]:
    """Return masks of up to `count` objects of a drawing, as covered shares of cells [h, w] from 0 to 1."""
    maps = [np.asarray(cache.things[number]), np.asarray(cache.parts[number])]
    sizes = [np.bincount(one.ravel(), minlength=2) for one in maps]
    numbers = [1 + np.flatnonzero(size[1:] >= LEAST) for size in sizes]
    chosen = []
    for _ in range(count):
        kind = int(len(numbers[1]) > 0 and rng.random() < PARTS)
        if len(numbers[kind]):
            mask = maps[kind] == rng.choice(numbers[kind])
            shares = mask.reshape(SIDE // CELL, CELL, SIDE // CELL, CELL).mean((1, 3), dtype=np.float32)
            if (shares > 0.5).sum() >= LEAST_CELLS:
                chosen.append(shares)
    return chosen


def batch(rng: np.random.Generator, cache: Cache, pictures: int, things: int) -> tuple[Tensor, Tensor, Tensor]:
    """Return pictures [b, 3, side, side], masks [n, h, w], and the picture index [n] of each mask."""
    images, masks, owners = [], [], []
    while len(images) < pictures:
        number = int(rng.integers(len(cache.images)))
        chosen = targets(rng, cache, number, things)
        if not chosen:
            continue
        height, width = cache.sizes[number]
        image = cache.images[number].astype(np.float32) / 255
        order, light = rng.permutation(3), rng.uniform(0.7, 1.1)
        image = (np.clip(image[..., order] * light, 0, 1) - MEAN) / DEVIATION
        if rng.random() < 0.5 and width == SIDE:
            image, chosen = image[:, ::-1], [one[:, ::-1] for one in chosen]
        seen = torch.from_numpy(np.ascontiguousarray(image.transpose(2, 0, 1), dtype=np.float32))[None]
        if rng.random() < 0.6:
            seen = blurred(seen, float(rng.uniform(0.3, 1.2)))
        seen[..., height:, :], seen[..., width:] = 0, 0  # outside the picture
        owners += [len(images)] * len(chosen)
        images.append(seen)
        masks += [torch.from_numpy(one.copy()) for one in chosen]
    return torch.cat(images), torch.stack(masks), torch.tensor(owners)


def overlap(found: Tensor, truth: Tensor) -> Tensor:
    """Intersection over union of bool masks [..., h, w]."""
    both, either = (found & truth).flatten(-2).sum(-1), (found | truth).flatten(-2).sum(-1)
    return both / either.clamp(min=1)


def mask_loss(logits: Tensor, truth: Tensor) -> Tensor:
    """Cross entropy and dice of logits [n, m, h, w] with shares [n, 1, h, w]: [n, m]."""
    truth = truth.expand_as(logits)
    entropy = functional.binary_cross_entropy_with_logits(logits, truth, reduction="none").flatten(2).mean(2)
    size = truth.flatten(2).mean(2).clamp(min=0.01)
    share = torch.sigmoid(logits).flatten(2)
    shared = (share * truth.flatten(2)).sum(2)
    dice = 1 - (2 * shared + 1) / (share.sum(2) + truth.flatten(2).sum(2) + 1)
    return entropy * (0.15 / size.sqrt()) * 5 + dice


def loss_of(quality: Tensor, logits: Tensor, truth: Tensor) -> Tensor:
    """Return the mean loss of the unambiguous mask, of the best of the others, and of all predicted IoUs."""
    each = mask_loss(logits, truth[:, None])
    with torch.no_grad():
        right = overlap(logits > 0, truth[:, None] > 0.5)
    of_masks = each[:, 0] + each[:, 1:].amin(1) + 0.05 * each[:, 1:].mean(1)
    return of_masks.mean() + (quality - right).pow(2).sum(1).mean()


def rounds(network: Segmenter, embedding: Tensor, truth: Tensor) -> Tensor:
    """Return the loss over all prompts: clicks, or a box and clicks, with the logits fed back."""
    boxed, known = torch.rand(len(truth)) < BOXED, truth > 0.5
    corners, corner_labels = random_clicks.boxes(known, CELL, 0.08), torch.tensor(BOX_CORNERS)
    point, label = random_clicks.drawn(known, known, CELL)
    nowhere, padding = torch.zeros_like(point), torch.full_like(label, PADDING)
    coords = torch.where(boxed[:, None, None], corners, torch.stack([point, nowhere], 1))
    labels = torch.where(boxed[:, None], corner_labels, torch.stack([label, padding], 1))
    mask, has = torch.zeros_like(truth)[:, None], torch.zeros(1)
    total = torch.zeros(())
    for number in range(ROUNDS):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            quality, logits = network.decode(embedding, coords, labels, mask, has)
        quality, logits = quality.float(), logits.float()
        total = total + loss_of(quality, logits, truth)
        with torch.no_grad():  # the mask that a user would see
            several = (~boxed) if number == 0 else torch.zeros_like(boxed)
            best = torch.where(several, 1 + quality[:, 1:].argmax(1), torch.zeros(len(truth), dtype=torch.long))
            shown = logits[torch.arange(len(truth)), best]
            point, label = random_clicks.drawn((shown > 0) != known, known, CELL)
            coords, labels = torch.cat([coords, point[:, None]], 1), torch.cat([labels, label[:, None]], 1)
            mask, has = shown[:, None].clamp(-32, 32), torch.ones(1)
    return total / ROUNDS


def train(options: argparse.Namespace) -> Path:
    """Train, and return the checkpoint."""
    cache = cached(options.out, options.drawings, options.threads)
    torch.manual_seed(0)
    network = Segmenter(SIDE).train()
    network.encoder.to(memory_format=torch.channels_last)  # a quarter faster on a processor

    def step(number: int) -> Tensor:
        rng = np.random.default_rng([SEEDS["train"], number])
        torch.manual_seed(int(rng.integers(1 << 31)))
        images, masks, owners = batch(rng, cache, options.batch, options.things)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            embedding = network.encoder(images)
        return rounds(network, embedding.float()[owners], masks)

    return training.fit(network, step, options)


def main() -> None:
    """Read the command line and train."""
    parser = training.arguments(__doc__)
    parser.add_argument("--drawings", type=int, default=4000, help="pictures to draw")
    parser.add_argument("--things", type=int, default=4, help="objects to click per picture")
    parser.set_defaults(batch=6, rate=2e-3)
    print(train(parser.parse_args()))


if __name__ == "__main__":
    main()
