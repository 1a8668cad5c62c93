"""Draw the pictures in models/samples.

python -m models.people.samples models/samples
"""

import argparse
from dataclasses import replace
from pathlib import Path

import numpy as np
from PIL import Image

from models.people import look, places, poses, things
from models.people.person import Person
from models.people.render import cutout as cut_out
from models.people.render import render
from models.people.scene import Pixels, Scene, Thing, child

TURNED_RIGHT = 6  # EXIF orientation: the shown top is the stored right side
ORIENTATION = 0x0112


def somebody(seed: int, kind: poses.Sampler, x: float, y: float, height: float, turn: float | None = None) -> Person:
    """The person and the pose of a seed; `turn` 0 faces the viewer."""
    rng = np.random.default_rng(seed)
    figure, pose = look.sample(rng), poses.sample(rng, kind)
    if turn is not None:
        pose = replace(pose, turn=turn, look=0.0, tilt=0.0)
    return Person(figure, pose, x, y, height * child(figure))


def one() -> Scene:
    """A big figure in the middle."""
    return Scene(720, 720, places.park, 10, (
        Thing(things.tree, 90, 440, 260, 4), Thing(things.bush, 640, 500, 330, 2),
        Thing(things.dog, 600, 640, 400, 5), somebody(17, poses.cheering, 340, 680, 540, 0.2),
    ))  # fmt: skip


def several() -> Scene:
    """Six people in different poses and sizes, two of them overlapping."""
    return Scene(960, 640, places.park, 5, (
        Thing(things.tree, 40, 350, 220, 12), Thing(things.tree, 925, 360, 210, 3),
        Thing(things.bush, 560, 410, 230, 6), somebody(23, poses.sitting, 845, 500, 360, 0.5),
        somebody(20, poses.jumping, 655, 540, 340, 0.0),
        somebody(54, poses.walking, 120, 560, 390, 1.1),
        somebody(73, poses.standing, 500, 560, 360, 0.2),
        somebody(76, poses.standing, 290, 590, 400, 0.2),
        somebody(101, poses.running, 415, 625, 410, -1.2),
        Thing(things.dog, 720, 625, 300, 3),
    ))  # fmt: skip


def crowd() -> Scene:
    """Three rows of eight people."""
    rng = np.random.default_rng(5)
    kinds = [poses.standing, poses.walking, poses.standing, poses.cheering]
    actors = []
    for row, y in enumerate([285, 525, 770]):
        for column in range(8):
            x = (column + 0.5 + rng.uniform(-0.15, 0.15)) * 100
            kind = kinds[int(rng.integers(len(kinds)))]
            at = x, y + rng.uniform(-12, 12)
            actors.append(somebody(100 * row + column, kind, *at, 228, float(rng.normal(0, 0.4))))
    return Scene(800, 800, places.park, 3, tuple(actors))


def nobody() -> Scene:
    """A street without people."""
    return Scene(960, 640, places.street, 8, (
        Thing(things.tree, 120, 470, 250, 12), Thing(things.lamp, 860, 480, 230, 1),
        Thing(things.car, 620, 560, 200, 3), Thing(things.dog, 200, 610, 330, 3),
        Thing(things.bush, 330, 500, 240, 2),
    ))  # fmt: skip


def portrait() -> Scene:
    """One person on a beach, upright."""
    return Scene(640, 960, places.beach, 9, (
        Thing(things.palm, 90, 640, 330, 2), Thing(things.parasol, 560, 640, 260, 4),
        somebody(34, poses.lunging, 320, 860, 560, 0.0), Thing(things.ball, 585, 925, 420, 8),
    ))  # fmt: skip


def cutout() -> Pixels:
    """One person in the air on a transparent picture."""
    return cut_out(somebody(40, poses.jumping, 320, 780, 800, 0.15), 640, 800)


def write(folder: Path) -> None:
    """Write every sample; their numbers give the order on a page."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, draw in (("1-several", several), ("2-one", one), ("4-crowd", crowd), ("6-nobody", nobody)):
        save(render(draw())[0], folder / f"{name}.jpg")
    save(np.rot90(render(portrait())[0]), folder / "3-portrait.jpg", TURNED_RIGHT)
    Image.fromarray(cutout(), "RGBA").quantize(255, Image.Quantize.FASTOCTREE).convert("RGBA").save(
        folder / "5-cutout.png", optimize=True
    )


def save(image: Pixels, path: Path, orientation: int = 1) -> None:
    """Write RGB [h, w, 3] as a JPEG with an EXIF orientation."""
    exif = Image.Exif()
    if orientation != 1:
        exif[ORIENTATION] = orientation
    Image.fromarray(np.ascontiguousarray(image)).save(path, quality=84, exif=exif, optimize=True)


def main() -> None:
    """Read the command line and write the samples."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    write(parser.parse_args().folder)


if __name__ == "__main__":
    main()
