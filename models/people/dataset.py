"""Draw a data set in the layout of Ultralytics; picture n is the same in every run."""

from collections.abc import Iterator
from functools import partial
from multiprocessing import Pool
from pathlib import Path

import numpy as np
from PIL import Image

from models.people import composition, letterbox, render
from models.people.figure import KEYPOINTS, MIRRORED
from models.people.scene import Label, Pixels

SIDE = 192
LONG_SIDES = (240, 320, 400, 480, 640)
SEEDS = {"train": 1, "val": 2, "varied": 3, "large": 4, "small": 5, "crops": 6, "crop samples": 7}
MIXES = {"large": composition.LARGE, "small": composition.SMALL}
"""Mixes by split; the other splits use `VARIED`."""

HELD_OUT = 200


def picture(split: str, number: int) -> tuple[Pixels, list[Label]]:
    """Return picture `number` of a split in its original size, RGB, and its labels."""
    mix = MIXES.get(split, composition.VARIED)
    rng = np.random.default_rng([SEEDS[split], number])
    return render.render(composition.sample(rng, int(rng.choice(LONG_SIDES)), mix))


def held_out(split: str) -> Iterator[tuple[Pixels, list[Label]]]:
    """Yield pictures that neither training nor checkpoint selection uses."""
    for number in range(HELD_OUT):
        yield picture(split, number)


def line(label: Label) -> str:
    """Return a label as a line of Ultralytics' format, relative to the square."""
    left, top, right, bottom = label.box / SIDE
    numbers = [(left + right) / 2, (top + bottom) / 2, right - left, bottom - top]
    words = [f"{number:.5f}" for number in numbers]
    for x, y, seen in label.keypoints:
        words += [f"{x / SIDE:.5f}", f"{y / SIDE:.5f}", str(int(seen))]
    return " ".join(["0", *words])


def write_one(folder: Path, split: str, number: int) -> None:
    """Draw one picture, letterboxed into the model's input square, with its labels."""
    image, labels = picture(split, number)
    square = Image.fromarray(letterbox.fit(image, SIDE))
    square.save(folder / "images" / split / f"{number:06d}.png", compress_level=1)
    lines = [line(letterbox.fit_label(label, image, SIDE)) for label in labels]
    (folder / "labels" / split / f"{number:06d}.txt").write_text("\n".join(lines))


def write(folder: Path, train: int, val: int, processes: int) -> Path:
    """Draw `train` and `val` pictures below `folder`; returns the description's path."""
    for split, count in (("train", train), ("val", val)):
        for kind in ("images", "labels"):
            (folder / kind / split).mkdir(parents=True, exist_ok=True)
        missing = [n for n in range(count) if not (folder / f"labels/{split}/{n:06d}.txt").exists()]
        with Pool(processes) as pool:
            pool.map(partial(write_one, folder, split), missing, chunksize=50)
    description = folder / "people.yaml"
    description.write_text(
        f"path: {folder.resolve()}\ntrain: images/train\nval: images/val\n"
        f"names: {{0: person}}\nkpt_shape: [17, 3]\nflip_idx: {MIRRORED}\n"
        f"kpt_names: {{0: [{', '.join(KEYPOINTS)}]}}\n"
    )
    return description
