"""Draw the pictures in the folders `samples` of the models of drawn shapes.

python -m models.scenes.samples models
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from itertools import count
from pathlib import Path

import numpy as np
from PIL import Image

from models.scenes import dataset
from models.scenes.names import PHRASES
from models.scenes.picture import Picture, Pixels

SIZES = ((288, 288), (288, 288), (288, 320))
"""Heights and widths. The last is not square, like most pictures."""

FIRST = {"rt-detr": 0, "mask2former-swin": 100, "grounding-dino": 200}
"""First index of each model's pictures."""

PROMPTED = "grounding-dino"
"""The model with a text prompt."""

MOST_NAMED = 4
"""Number of phrases of a sample's prompt; the last one is not in the picture."""

ANY = "red circle . blue square ."

LEAST = 5
"""Minimum number of things in a sample, so that there is something to compare."""

STACKS = 2


def save(image: Pixels, file: Path, quality: int) -> None:
    """Write RGB [h, w, 3] as a JPEG without chroma subsampling."""
    file.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(np.ascontiguousarray(image)).save(file, quality=quality, subsampling=0, optimize=True)


def scenes(folder: Path, first: int) -> list[Picture]:
    """Write three pictures of at least five things each, and return them."""
    numbers, written = count(first), []
    for index, size in enumerate(SIZES):
        drawn = (dataset.scene("sample", number, *size) for number in numbers)
        picture = next(one for one in drawn if len(one.things) >= LEAST)
        save(picture.image, folder / f"{index + 1}.jpg", 85)
        written.append(picture)
    return written


def prompts(folder: Path, pictures: Sequence[Picture]) -> None:
    """Write prompts: one per picture, with its nearest things and an absent one, and one general prompt."""
    lines = []
    for picture in pictures:
        shown = list(dict.fromkeys(thing.phrase for thing in reversed(picture.things)))
        absent = next(phrase for phrase in PHRASES if phrase not in shown)
        lines.append(" . ".join([*shown[: MOST_NAMED - 1], absent]) + " .")
    (folder / "prompts.txt").write_text("\n".join([*lines, ANY]) + "\n", "utf-8")


def stacks(folder: Path) -> None:
    """Write focal stacks, each in a folder with its focus distances."""
    for number in range(STACKS):
        stack, place = dataset.stack("sample", number), folder / f"{number + 1}"
        for index, image in enumerate(stack.images):
            save(image, place / f"{index + 1}.jpg", 95)
        distances = [round(float(metres), 3) for metres in stack.distances]
        (place / "focus.json").write_text(json.dumps({"focus_distances": distances}) + "\n", "utf-8")


def main() -> None:
    """Read the command line and write the samples of every model in the folder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    for name, first in FIRST.items():
        if (folder / name).is_dir():
            pictures = scenes(folder / name / "samples", first)
            if name == PROMPTED:
                prompts(folder / name / "samples", pictures)
    stacks(folder / "depth-from-focus" / "samples")


if __name__ == "__main__":
    main()
