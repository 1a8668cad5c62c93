"""Measure a trained Grounding DINO on held-out drawings and write the table in models/README.md.

    python -m models.grounding_dino.measure build/grounding-dino/last.pt

It runs the checkpoint in PyTorch, because ONNX Runtime cannot load the shipped export unpatched.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from models import exporting
from models.grounding_dino import text
from models.grounding_dino.network import Deployed, network
from models.imagenet import inputs
from models.scenes import dataset
from models.scenes.names import PHRASES
from models.scenes.picture import Picture
from models.scenes.quality import overlaps
from models.table import README, rewrite, table

# isort: split
import numpy as np
import torch

BOX = 0.35
"""Box threshold on the best token's score, as in the demo of the original repository."""

TWO = ("red circle", "blue square")


def found(detector: Deployed, picture: Picture, prompt: text.Prompt) -> tuple[np.ndarray, np.ndarray]:
    """Return the boxes [n, 4] in pixels above the threshold, and the index of each one's phrase [n]."""
    ids = torch.from_numpy(prompt.ids)[None]
    height, width = picture.stuff.shape
    with torch.no_grad():
        logits, boxes = detector(
            torch.from_numpy(inputs(picture.image)[None]), ids, torch.zeros_like(ids), torch.ones_like(ids),
            torch.ones(1, height, width, dtype=torch.int64),
        )  # fmt: skip
    scores, middles = torch.sigmoid(logits)[0].numpy(), boxes[0].numpy()
    kept = scores.max(1) > BOX
    corners = np.concatenate([middles[:, :2] - middles[:, 2:] / 2, middles[:, :2] + middles[:, 2:] / 2], 1)
    phrases = np.stack([scores[:, first:end].mean(1) for first, end in prompt.spans], 1).argmax(1)
    return corners[kept] * (width, height, width, height), phrases[kept]


def measure(detector: Deployed, pictures: list[Picture], phrases: tuple[str, ...]) -> dict[str, str]:
    """Return the measured values with one prompt, by title."""
    prompt = text.prompt(phrases)
    wanted = hits = boxes = 0
    for picture in pictures:
        corners, kinds = found(detector, picture, prompt)
        boxes += len(corners)
        for thing in (thing for thing in picture.things if thing.phrase in phrases):
            wanted += 1
            own = corners[kinds == phrases.index(thing.phrase)]
            hits += bool(len(own) and overlaps(own, thing.box[None]).max() >= 0.5)
    return {
        "held-out pictures": str(len(pictures)),
        "tokens of the prompt": str(len(prompt.ids)),
        "things that the prompt names": str(wanted),
        f"boxes with a score above {BOX}": str(boxes),
        "recall at IoU 0.5, the phrase right": f"{hits / max(wanted, 1):.3f}",
        "boxes that are right": f"{hits / max(boxes, 1):.3f}",
    }


def main() -> None:
    """Read the command line, measure, and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkpoint", type=Path)
    parser.add_argument("--readme", type=Path, default=README)
    options = parser.parse_args()
    detector = Deployed(exporting.weigh(network(), options.checkpoint))
    everything = list(dataset.held_out())
    some = [picture for picture in everything if any(thing.phrase in TWO for thing in picture.things)]
    twelve = PHRASES[::3]
    columns = {
        f"`{' . '.join(TWO)} .`": measure(detector, some, TWO),
        "every third phrase": measure(detector, everything, twelve),
    }
    print(table(columns))
    rewrite(options.readme, "grounding-dino", table(columns))


if __name__ == "__main__":
    main()
