"""Draw pictures and train the detector on them for a given time.

python -m models.text_reader.train_detector --minutes 40 --out build/text-detector
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from models import training
from models.imagenet import inputs
from models.text_reader.detector import Detector
from models.text_reader.pages import SEEDS, drawn
from models.text_reader.reused import Reused
from models.text_reader.shrink import truth

SIDE = 320
GROUND_TO_TEXT = 3
"""Background pixels per text pixel in the cross entropy, the ones with the largest loss (hard negatives)."""


def loss(logits: Tensor, wanted: Tensor, counts: Tensor) -> Tensor:
    """Return DB's loss of the probability map: balanced binary cross entropy plus dice loss."""
    each = functional.binary_cross_entropy_with_logits(logits, wanted, reduction="none") * counts
    text = (wanted > 0.5) & (counts > 0)
    ground = (wanted <= 0.5) & (counts > 0)
    hard = min(int(ground.sum()), max(GROUND_TO_TEXT * int(text.sum()), 1000))
    balanced = (each[text].sum() + each[ground].topk(hard).values.sum()) / (int(text.sum()) + hard)
    found = torch.sigmoid(logits) * counts
    dice = 1 - 2 * (found * wanted).sum() / (found.sum() + (wanted * counts).sum() + 1e-6)
    return 3 * balanced + dice


def drawn_batch(number: int, count: int) -> tuple[np.ndarray, ...]:
    """Draw batch `number`: pictures [count, h, w, 3], target maps and loss masks, uint8."""
    rows = []
    for index in range(count):
        image, quads, _ = drawn(np.random.default_rng([SEEDS["train"], number, index]), "train", (SIDE, SIDE))
        rows.append((image, *((part * 255).astype(np.uint8) for part in truth(quads, SIDE, SIDE))))
    return tuple(np.stack(part) for part in zip(*rows, strict=True))


def train(options: argparse.Namespace) -> Path:
    """Train, and return the checkpoint."""
    torch.manual_seed(0)
    network = Detector().train().to(memory_format=torch.channels_last)

    batches = Reused(lambda number: drawn_batch(number, options.batch))

    def step(number: int) -> Tensor:
        parts, rng = batches(number)
        flip = (slice(None), slice(None, None, int(rng.choice([-1, 1]))), slice(None, None, int(rng.choice([-1, 1]))))
        images, *maps = (np.ascontiguousarray(part[flip]) for part in parts)
        pixels = torch.from_numpy(inputs(images[..., rng.permutation(3)])).to(memory_format=torch.channels_last)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            logits = network(pixels)
        return loss(logits.float(), *(torch.from_numpy(part[:, None].astype(np.float32) / 255) for part in maps))

    return training.fit(network, step, options)


def main() -> None:
    """Read the command line and train."""
    parser = training.arguments(__doc__)
    parser.set_defaults(batch=8, rate=3e-3)
    print(train(parser.parse_args()))


if __name__ == "__main__":
    main()
