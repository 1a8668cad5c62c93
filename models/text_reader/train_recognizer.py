"""Draw lines and train the recognizer on them for a given time.

python -m models.text_reader.train_recognizer --minutes 40 --out build/text-recognizer
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from models import training
from models.text_reader.crops import STEP, example, inputs
from models.text_reader.pages import SEEDS
from models.text_reader.recognizer import Recognizer
from models.text_reader.reused import Reused
from models.text_reader.words import CHARACTERS

LONGEST = (6, 10, 14, 20, 28)
"""Largest number of characters in a batch: lines of one batch have similar widths."""


Batch = tuple[list[np.ndarray], list[np.ndarray]]
"""Lines [32, w, 3] of uint8, and their classes."""


def drawn(number: int, count: int) -> Batch:
    """Draw batch `number`, with about as many pixels as `count` lines of medium length."""
    rng = np.random.default_rng([SEEDS["train"], number])
    longest = int(rng.choice(LONGEST))
    crops: list[np.ndarray] = []
    labels: list[np.ndarray] = []
    while len(crops) < count * LONGEST[-1] // (longest + LONGEST[0]):
        crop, text = example(rng, "train", longest)
        if crop.shape[1] // STEP < len(text) + sum(map(str.__eq__, text, text[1:])):
            continue  # fewer steps than characters plus blanks between equal ones
        crops.append(crop)
        labels.append(np.array([CHARACTERS.index(one) + 1 for one in text]))
    return crops, labels


def train(options: argparse.Namespace) -> Path:
    """Train, and return the checkpoint."""
    torch.manual_seed(0)
    network = Recognizer().train().to(memory_format=torch.channels_last)

    batches = Reused(lambda number: drawn(number, options.batch))

    def step(number: int) -> Tensor:
        (crops, labels), rng = batches(number)
        inverted = rng.random(len(crops)) < 0.5
        colours = [
            crop[..., rng.permutation(3)] ^ np.uint8(255 * turn) for crop, turn in zip(crops, inverted, strict=True)
        ]
        lines = inputs(colours)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            logits = network(torch.from_numpy(lines).to(memory_format=torch.channels_last))
        steps = torch.full((len(lines),), logits.shape[1])
        sizes = torch.tensor([len(label) for label in labels])
        wanted = torch.from_numpy(np.concatenate(labels))
        chances = functional.log_softmax(logits.float(), -1).transpose(0, 1)
        return functional.ctc_loss(chances, wanted, steps, sizes)

    return training.fit(network, step, options)


def main() -> None:
    """Read the command line and train."""
    parser = training.arguments(__doc__)
    parser.set_defaults(batch=24, rate=3e-3)
    print(train(parser.parse_args()))


if __name__ == "__main__":
    main()
