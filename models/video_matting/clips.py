"""Draw clips: a moving person in front of a moving background, and the exact alpha of every frame."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from models.people import composition, look, poses, render
from models.people.figure import Limb, Pose
from models.people.person import Person, layer
from models.people.scene import Pixels, Scene, Thing, child

HEIGHT, WIDTH = 96, 128
SEEDS = {"train": 21, "held-out": 23, "sample": 24}
HELD_OUT = 40
"""Number of held-out clips for measurements."""

FRAMES = 12
"""Number of frames of a held-out clip."""

FINER = (2, 2, 4)
"""Supersampling factors, one per clip: with a factor above 1, fine lines blur as in a resized picture."""

NOISE = 0.02
"""Largest standard deviation of a clip's camera noise, for values from 0 to 1."""

Floats = np.ndarray[Any, np.dtype[np.float32]]


@dataclass(frozen=True)
class Clip:
    """Frames in order: RGB [n, h, w, 3], uint8; alpha [n, h, w] and the person's RGB [n, h, w, 3], from 0 to 1."""

    frames: Pixels
    alpha: Floats
    foreground: Floats


def clip(split: str, number: int, frames: int = FRAMES, height: int = HEIGHT, width: int = WIDTH) -> Clip:
    """Return clip `number` of a split, the same in every run."""
    rng = np.random.default_rng([SEEDS[split], number])
    finer, noise = int(rng.choice(FINER)), float(rng.uniform(0, NOISE))
    size = width * finer, height * finer
    painted = _painted_place(rng, *size)
    start, end = _motion(rng, *size)
    pan = rng.uniform(0, 1, (2, 2))
    drawn = []
    for at in np.linspace(0, 1, frames):
        ahead = pixels(layer(_between(start, end, float(at)), *size)[0])
        behind = _window(painted, pan[0] + (pan[1] - pan[0]) * at, *size)
        drawn.append(_composed(_shrunk(ahead, finer), _shrunk(behind, finer), rng, noise))
    return Clip(*(np.stack(part) for part in zip(*drawn, strict=True)))


def held_out() -> Iterator[Clip]:
    """Yield the held-out clips."""
    for number in range(HELD_OUT):
        yield clip("held-out", number)


def pixels(image: Any) -> Floats:
    """Return a Skia image as RGBA [h, w, 4] from 0 to 1, premultiplied."""
    return render.pixels(image).astype(np.float32) / 255


def _painted_place(rng: np.random.Generator, width: int, height: int) -> Floats:
    """Return a background with things, RGB, a quarter larger than a frame in each direction."""
    wide, high = width * 5 // 4, height * 5 // 4
    scene = composition.sample(rng, max(wide, high), composition.LARGE)
    things = tuple(actor for actor in scene.actors if isinstance(actor, Thing))
    image, _ = render.render(Scene(wide, high, scene.place, scene.seed, things))
    return image.astype(np.float32) / 255


def _motion(rng: np.random.Generator, width: int, height: int) -> tuple[Person, Person]:
    """Return a person in the first and in the last frame."""
    figure, kind = look.sample(rng), poses.sample
    tall = height * float(rng.uniform(0.75, 1.7)) * child(figure)
    x, y = width * float(rng.uniform(0.25, 0.75)), max(height * 0.97, tall * float(rng.uniform(0.97, 1.02)))
    first, last = kind(rng), kind(rng)
    start = Person(figure, replace(first, seat=False), x, y, tall)
    moved = x + width * float(rng.uniform(-0.25, 0.25)), y + height * float(rng.uniform(-0.03, 0.05))
    share = float(rng.uniform(0.1, 0.6))
    return start, Person(figure, _blend(first, last, share), *moved, tall * float(rng.uniform(0.9, 1.1)))


def _between(start: Person, end: Person, at: float) -> Person:
    """Return the person interpolated at a share of the way."""

    def mixed(first: float, last: float) -> float:
        return first + (last - first) * at

    return Person(
        start.look, _blend(start.pose, end.pose, at), mixed(start.x, end.x), mixed(start.y, end.y),
        mixed(start.height, end.height),
    )  # fmt: skip


def _blend(first: Pose, last: Pose, at: float) -> Pose:
    """Return the interpolated pose; elbows and knees keep the first pose's bend directions."""

    def limb(one: Limb, other: Limb) -> Limb:
        numbers = {name: getattr(one, name) for name in ("swing", "spread", "bend")}
        moved = {name: value + (getattr(other, name) - value) * at for name, value in numbers.items()}
        return replace(one, **moved)

    limbs = ("left_arm", "right_arm", "left_leg", "right_leg")
    angles = ("lean", "tilt", "turn", "look", "nod", "lift")
    changed: dict[str, Any] = {name: limb(getattr(first, name), getattr(last, name)) for name in limbs}
    changed |= {name: getattr(first, name) + (getattr(last, name) - getattr(first, name)) * at for name in angles}
    return replace(first, seat=False, **changed)


def _window(painted: Floats, share: Any, width: int, height: int) -> Floats:
    """Return the part of the background in a frame; `share` from 0 to 1 is its offset to the right and down."""
    left, top = (
        round(float(share[0]) * (painted.shape[1] - width)),
        round(float(share[1]) * (painted.shape[0] - height)),
    )
    return painted[top : top + height, left : left + width]


def _shrunk(image: Floats, times: int) -> Floats:
    """[times h, times w, c] -> [h, w, c], the mean of each square of pixels."""
    height, width, channels = image.shape
    return np.asarray(image.reshape(height // times, times, width // times, times, channels).mean((1, 3)), np.float32)


def _composed(ahead: Floats, behind: Floats, rng: np.random.Generator, noise: float) -> tuple[Pixels, Floats, Floats]:
    """Composite a premultiplied person over a background: return the noisy frame, alpha and foreground colours."""
    alpha = ahead[..., 3:]
    frame = ahead[..., :3] + behind * (1 - alpha)
    noisy = np.clip(frame + rng.normal(0, noise, frame.shape), 0, 1)
    colors = np.where(alpha > 0, ahead[..., :3] / np.maximum(alpha, 1e-3), frame)
    return (noisy * 255).round().astype(np.uint8), alpha[..., 0], np.clip(colors, 0, 1).astype(np.float32)
