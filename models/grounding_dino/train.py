"""Draw scenes with prompts and train the narrow Grounding DINO on them for a given time.

    python -m models.grounding_dino.train --minutes 25 --out build/grounding-dino --backbone build/swin/last.pt

`--backbone` starts from the Swin weights of `models.swin_start` or of a trained Mask2Former.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np

from models.grounding_dino.network import network  # first: it makes torchvision importable

# isort: split
from models import training
from models.grounding_dino import text
from models.grounding_dino.loss import Target, loss
from models.imagenet import inputs
from models.scenes import cache, dataset
from models.scenes.names import COLOURS, PHRASES, SHAPES
from models.swin import SIDE

# isort: split
import torch
from torch import Tensor

MOST_ABSENT = 8
STARTS = ("swin.", "model.pixel_level_module.encoder.")
"""Prefixes of the Swin's weight names in a checkpoint of `models.swin_start`, and of Mask2Former."""

SWIN = "model.backbone.conv_encoder.model."


def prompt(rng: np.random.Generator, shapes: np.ndarray, colours: np.ndarray) -> tuple[text.Prompt, list[int]]:
    """Return a prompt for everything in a picture plus up to eight other phrases, and the phrase of every object."""
    own = [f"{list(COLOURS)[colour]} {SHAPES[shape]}" for shape, colour in zip(shapes, colours, strict=True)]
    others = [phrase for phrase in PHRASES if phrase not in own]
    absent = rng.choice(others, int(rng.integers(1, MOST_ABSENT + 1)), replace=False).tolist()
    phrases = rng.permutation([*dict.fromkeys(own), *absent]).tolist()
    return text.prompt(phrases), [phrases.index(phrase) for phrase in own]


def batch(pictures: cache.Cache, number: int, size: int) -> tuple[dict[str, Tensor], list[Target]]:
    """Return the network's inputs and targets; prompts are padded to the longest."""
    rng = np.random.default_rng([dataset.SEEDS["train"], number])
    chosen, flipped = rng.integers(len(pictures), size=size), rng.random(size) < 0.5
    prompts, targets, images = [], [], []
    for n, flip in zip(chosen.tolist(), flipped.tolist(), strict=True):
        count = int((pictures.shapes[n] >= 0).sum())
        made, classes = prompt(rng, pictures.shapes[n, :count], pictures.colours[n, :count])
        phrases = torch.zeros(len(made.spans), text.LONGEST)
        for row, (first, end) in enumerate(made.spans):
            phrases[row, first:end] = 1
        left, top, right, bottom = (pictures.boxes[n, :count] / SIDE).T
        left, right = (1 - right, 1 - left) if flip else (left, right)
        boxes = np.stack([(left + right) / 2, (top + bottom) / 2, right - left, bottom - top], 1)
        targets.append(Target(torch.from_numpy(boxes), torch.tensor(classes, dtype=torch.int64), phrases))
        prompts.append(made)
        images.append(pictures.images[n][:, :: -1 if flip else 1])
    length = max(len(one.ids) for one in prompts)
    ids = np.stack([np.pad(one.ids, (0, length - len(one.ids))) for one in prompts])
    attention = np.stack([np.arange(length) < len(one.ids) for one in prompts]).astype(np.int64)
    tokens = {"input_ids": torch.from_numpy(ids), "attention_mask": torch.from_numpy(attention)}
    return {"pixel_values": torch.from_numpy(inputs(np.stack(images))), **tokens}, targets


def swin_of(checkpoint: Path) -> dict[str, Any]:
    """Return the trained backbone's weights in a checkpoint, by this network's names."""
    weights = training.averaged(checkpoint)
    return {
        SWIN + name.removeprefix(start): value
        for name, value in weights.items()
        for start in STARTS
        if name.startswith(start)
    }


def expect_little(model: Any) -> None:
    """Let every logit start around -4, like a head with a bias: most queries match nothing."""
    text_norm = model.model.encoder.layers[-1].text_enhancer_layer.layer_norm_after
    with torch.no_grad():
        text_norm.weight.mul_(0.15)
        text_norm.bias[0] = -2
        for norm in (model.model.decoder.layer_norm, model.model.enc_output_norm):
            norm.weight[0], norm.bias[0] = 0.1, 2


def train(options: argparse.Namespace) -> Path:
    """Train, and return the checkpoint."""
    pictures = cache.drawn(options.drawings or options.out, options.pictures, options.threads, SIDE)
    torch.manual_seed(0)
    model: Any = network().train()
    expect_little(model)
    if options.backbone:
        weights = swin_of(options.backbone)
        unknown = model.load_state_dict(weights, strict=False).unexpected_keys
        other = [name for name in unknown if "hidden_states_norms.stage1" not in name]
        if other or not weights:
            raise SystemExit(f"{options.backbone} does not fit this backbone: {other[0] if other else 'no Swin'}")

    def step(number: int) -> Tensor:
        return loss(model, *batch(pictures, number, options.batch))

    return training.fit(model, step, options)


def main() -> None:
    """Read the command line and train."""
    parser = training.arguments(__doc__)
    parser.add_argument("--backbone", type=Path, help="checkpoint of `models.swin_start` or of a trained Mask2Former")
    parser.add_argument("--pictures", type=int, default=6000)
    parser.add_argument("--drawings", type=Path, help="folder of the drawings, if several trainings share them")
    print(train(parser.parse_args()))


if __name__ == "__main__":
    main()
