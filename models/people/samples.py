"""Draws the pictures in models/samples.

    python -m models.people.samples models/samples
"""

import argparse
from dataclasses import replace
from pathlib import Path

import numpy as np
from PIL import Image

from models.people import backdrop, clutter, look, poses, scene
from models.people.person import Person
from models.people.scene import Pixels, Scene, Thing

TURNED_RIGHT = 6  # EXIF orientation: the shown top is the stored right side
ORIENTATION = 0x0112


def somebody(
    seed: int, kind: poses.Sampler, x: float, y: float, height: float, turn: float | None = None
) -> Person:
    """The person and the pose of a seed; `turn` 0 faces the viewer."""
    rng = np.random.default_rng(seed)
    figure, pose = look.sample(rng), poses.sample(rng, kind)
    if turn is not None:
        pose = replace(pose, turn=turn, look=0.0, tilt=0.0)
    return Person(figure, pose, x, y, height * scene.child(figure))


def one() -> Scene:
    """A big figure in the middle."""
    return Scene(720, 720, backdrop.park, 7, (
        Thing(clutter.tree, 90, 430, 260, 4), Thing(clutter.bush, 640, 500, 330, 2),
        Thing(clutter.dog, 590, 640, 420, 5), somebody(21, poses.cheering, 350, 676, 560, 0.2),
    ))  # fmt: skip


def several() -> Scene:
    """Five people in different poses and sizes, two of them overlapping."""
    return Scene(960, 640, backdrop.park, 12, (
        Thing(clutter.tree, 900, 330, 190, 3), Thing(clutter.tree, 60, 350, 200, 8),
        somebody(3, poses.sitting, 840, 470, 300, 0.3), Thing(clutter.bush, 470, 400, 200, 6),
        somebody(5, poses.walking, 150, 540, 380, 1.2), somebody(8, poses.standing, 470, 560, 390, 0.1),
        somebody(11, poses.running, 325, 590, 410, -1.2), Thing(clutter.dog, 700, 600, 330, 9),
        somebody(14, poses.jumping, 640, 560, 360, 0.0),
    ))  # fmt: skip


def crowd() -> Scene:
    """Rows of people, close together."""
    rng = np.random.default_rng(5)
    kinds = [poses.standing, poses.cheering, poses.walking, poses.dancing, poses.jumping]
    actors = []
    for row, (y, height, count) in enumerate([(330, 190, 9), (450, 215, 8), (590, 250, 7)]):
        for column in range(count):
            x = (column + 0.5 + rng.uniform(-0.15, 0.15)) * 960 / count
            seed = 100 * row + column
            kind = kinds[int(rng.integers(len(kinds)))]
            turn = float(rng.normal(0, 0.4))
            actors.append(somebody(seed, kind, x, y + rng.uniform(-12, 12), height, turn))
    return Scene(960, 640, backdrop.court, 3, tuple(actors))


def nobody() -> Scene:
    """A street without a soul."""
    return Scene(960, 640, backdrop.street, 4, (
        Thing(clutter.tree, 120, 470, 250, 12), Thing(clutter.lamp, 860, 480, 230, 1),
        Thing(clutter.car, 620, 560, 200, 3), Thing(clutter.bench, 330, 500, 260, 1),
        Thing(clutter.dog, 240, 610, 330, 3), Thing(clutter.cone, 830, 620, 300, 1),
    ))  # fmt: skip


def portrait() -> Scene:
    """One person on a beach, upright."""
    return Scene(640, 960, backdrop.beach, 9, (
        Thing(clutter.palm, 90, 640, 330, 2), Thing(clutter.parasol, 560, 640, 260, 4),
        somebody(31, poses.lunging, 330, 860, 560, 0.0), Thing(clutter.ball, 540, 900, 420, 8),
    ))  # fmt: skip


def cutout() -> Pixels:
    """One person in the air on a transparent picture."""
    return scene.cutout(somebody(40, poses.jumping, 320, 760, 600, 0.15), 640, 800)


def write(folder: Path) -> None:
    """Write every sample."""
    folder.mkdir(parents=True, exist_ok=True)
    for draw in (nobody, one, several, crowd):
        save(scene.render(draw())[0], folder / f"{draw.__name__}.jpg")
    save(np.rot90(scene.render(portrait())[0]), folder / "portrait.jpg", TURNED_RIGHT)
    Image.fromarray(cutout(), "RGBA").quantize(255, Image.Quantize.FASTOCTREE).convert("RGBA").save(
        folder / "cutout.png", optimize=True
    )


def save(image: Pixels, path: Path, orientation: int = 1) -> None:
    """A JPEG of RGB [h, w, 3] whose header says how it is to be turned."""
    exif = Image.Exif()
    if orientation != 1:
        exif[ORIENTATION] = orientation
    Image.fromarray(np.ascontiguousarray(image)).save(path, quality=88, exif=exif, optimize=True)


def main() -> None:
    """Read the command line and write the samples."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    write(parser.parse_args().folder)


if __name__ == "__main__":
    main()
