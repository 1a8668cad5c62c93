"""Draw people and train the top-down pose network on crops of them for a given time.

python -m models.top_down_pose.train --minutes 20 --out build/top-down-pose
"""

from __future__ import annotations

import argparse
from pathlib import Path

import cv2
import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from models import training
from models.imagenet import inputs
from models.people.dataset import SEEDS
from models.people.figure import MIRRORED
from models.top_down_pose import crops
from models.top_down_pose.crops import BINS, HEIGHT, WIDTH
from models.top_down_pose.drawings import People, cached
from models.top_down_pose.network import TopDownPose

SMALLEST, LARGEST = 22.0, 220.0
"""Heights in pixels of people in the picture, before the crop; larger people are scaled down."""

SHARPNESS = 10.0
"""Inverse temperature of the softmax over bins, as in RTMPose: the outputs themselves are then about 0 to 1."""

SPREAD = 3.5
"""Standard deviation, in bins, of the target Gaussian around a point."""


def example(rng: np.random.Generator, people: People, person: int) -> tuple[np.ndarray, np.ndarray]:
    """Return a crop [h, w, 3] and its points [17, 3] in its pixels, the last value 1 if they count."""
    image, box, points = people.image(person), people.boxes[person], people.keypoints[person].copy()
    tall = max(box[2:] - box[:2])
    share = min(1.0, float(np.exp(rng.uniform(np.log(SMALLEST), np.log(LARGEST)))) / tall)
    if share < 1:
        wide, high = round(image.shape[1] * share), round(image.shape[0] * share)
        factors = np.array([wide / image.shape[1], high / image.shape[0]])
        image = np.asarray(cv2.resize(image, (wide, high), interpolation=cv2.INTER_AREA))
        box, points[:, :2] = box * np.tile(factors, 2), points[:, :2] * factors
    middle, size = crops.placed(box)
    middle = middle + rng.normal(0, 0.03, 2) * size
    size = size * float(np.exp(rng.normal(0, 0.1)))
    turn = float(rng.normal(0, 0.2)) if rng.random() < 0.5 else 0.0
    mirrored = rng.random() < 0.5
    matrix = crops.warp(middle, size, turn, mirrored)
    points[:, :2] = crops.moved(points[:, :2], matrix)
    if mirrored:
        points = points[MIRRORED]
    within = (points[:, :2] >= 0).all(1) & (points[:, :2] < (WIDTH, HEIGHT)).all(1)
    points[:, 2] = (points[:, 2] > 0) & within
    cut = crops.crop(image, matrix)[..., rng.permutation(3)]
    return np.clip(cut * rng.uniform(0.7, 1.1), 0, 255).astype(np.uint8), points


def loss(found: Tensor, at: Tensor, counts: Tensor) -> Tensor:
    """Return the KL divergence of bins [b, 17, n] from Gaussians around positions [b, 17], over counted points."""
    bins = torch.arange(found.shape[-1])
    wanted = torch.softmax(SHARPNESS * torch.exp(-((bins - at[..., None]) ** 2) / (2 * SPREAD**2)), -1)
    each = functional.kl_div(functional.log_softmax(SHARPNESS * found, -1), wanted, reduction="none").sum(-1)
    return (each * counts).sum() / counts.sum().clamp(min=1)


def train(options: argparse.Namespace) -> Path:
    """Train, and return the checkpoint."""
    people = cached(options.out, options.pictures, options.threads)
    torch.manual_seed(0)
    network = TopDownPose().train().to(memory_format=torch.channels_last)  # a quarter faster on a processor

    def step(number: int) -> Tensor:
        rng = np.random.default_rng([SEEDS["crops"], number])
        chosen = rng.integers(len(people.boxes), size=options.batch)
        images, points = (np.stack(part) for part in zip(*(example(rng, people, one) for one in chosen), strict=True))
        with torch.autocast("cpu", dtype=torch.bfloat16):
            along_x, along_y = network(torch.from_numpy(inputs(images)))
        truth = torch.from_numpy(points).float()
        places, counts = truth[..., :2] * BINS, truth[..., 2]
        return loss(along_x.float(), places[..., 0], counts) + loss(along_y.float(), places[..., 1], counts)

    return training.fit(network, step, options)


def main() -> None:
    """Read the command line and train."""
    parser = training.arguments(__doc__)
    parser.add_argument("--pictures", type=int, default=5000, help="to draw")
    parser.set_defaults(batch=32, rate=2e-3)
    print(train(parser.parse_args()))


if __name__ == "__main__":
    main()
