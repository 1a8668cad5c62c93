"""Draw the top-down pose network's pictures in its folder `samples`: small people.

python -m models.top_down_pose.samples models/top-down-pose/samples
"""

from __future__ import annotations

import argparse
from itertools import count
from pathlib import Path

import numpy as np

from models.people import composition, render
from models.people.dataset import SEEDS
from models.people.samples import save
from models.people.scene import Pixels

LONG_SIDES = (400, 320, 480)
LEAST = 4
"""Minimum number of people in a sample."""


def chosen() -> list[Pixels]:
    """Return a picture of each of `LONG_SIDES`, in order."""
    numbers, found = count(), []
    for side in LONG_SIDES:
        scenes = (
            composition.sample(np.random.default_rng([SEEDS["crop samples"], number]), side, composition.SMALL)
            for number in numbers
        )
        found.append(next(image for image, labels in map(render.render, scenes) if len(labels) >= LEAST))
    return found


def main() -> None:
    """Read the command line and write the samples."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    folder: Path = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    for index, image in enumerate(chosen()):
        save(image, folder / f"{index + 1}.jpg")


if __name__ == "__main__":
    main()
