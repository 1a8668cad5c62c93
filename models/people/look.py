"""A person's appearance: skin, hair, clothes and build."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from models.people.figure import Build
from models.people.ink import Color, mix

T = TypeVar("T")
Random = np.random.Generator

SKINS: list[Color] = [
    (255, 219, 190), (245, 200, 165), (232, 178, 138), (210, 150, 108), (178, 118, 80),
    (141, 88, 58), (104, 64, 44), (78, 48, 36),
]  # fmt: skip
HAIRS: list[Color] = [
    (38, 30, 34), (62, 42, 36), (96, 60, 40), (140, 84, 46), (196, 140, 70), (232, 196, 120),
    (176, 72, 40), (172, 170, 176), (226, 226, 230), (90, 70, 130), (214, 96, 130),
]  # fmt: skip
CLOTHES: list[Color] = [
    (232, 84, 72), (244, 150, 62), (250, 202, 84), (98, 178, 112), (40, 130, 116), (70, 152, 210),
    (44, 82, 150), (120, 92, 176), (226, 120, 158), (246, 240, 228), (206, 200, 192), (52, 56, 70),
    (132, 84, 62), (150, 190, 200), (180, 60, 84), (22, 122, 160), (158, 178, 92), (250, 172, 150),
]  # fmt: skip
BOTTOMS: list[Color] = [
    (44, 62, 104), (72, 104, 156), (50, 50, 60), (120, 104, 88), (196, 172, 136), (90, 96, 104),
    (140, 60, 62), (62, 92, 76), (224, 216, 204), (104, 76, 110),
]  # fmt: skip
HAIRSTYLES = ["short", "side", "buzz", "bald", "long", "bob", "bun", "tail", "curls", "scarf"]
HATS = ["none", "none", "none", "none", "cap", "beanie", "straw"]
PATTERNS = ["plain", "plain", "plain", "stripes", "band", "dots", "vest", "buttons"]
LOWERS = ["trousers", "trousers", "trousers", "shorts", "shorts", "skirt", "dress"]


@dataclass(frozen=True)
class Look:
    """The colours and cuts of one person."""

    build: Build
    skin: Color
    hair: Color
    hairstyle: str
    hat: str
    top: Color
    accent: Color
    pattern: str
    sleeve: float  # share of the arm that is covered
    lower: str
    bottom: Color
    hem: float  # share of the leg that shorts, a skirt or a dress covers
    shoes: Color
    beard: bool
    glasses: bool
    backpack: bool


def pick(rng: Random, values: Sequence[T]) -> T:
    """One of `values`."""
    return values[int(rng.integers(len(values)))]


def sample_build(rng: Random) -> Build:
    """Return the build of an adult or sometimes a child."""
    if rng.random() < 0.18:
        return Build(
            torso=0.285, shoulder=0.098, hip=0.055, arm=0.138, leg=0.205,
            head=float(rng.uniform(0.098, 0.115)), girth=float(rng.uniform(1.0, 1.2)),
        )  # fmt: skip
    girth = float(rng.choice([rng.uniform(0.85, 1.1), rng.uniform(1.1, 1.35)], p=[0.75, 0.25]))
    return Build(
        torso=float(rng.uniform(0.28, 0.31)), shoulder=float(rng.uniform(0.09, 0.115)),
        hip=float(rng.uniform(0.05, 0.062)), arm=float(rng.uniform(0.148, 0.165)),
        leg=float(rng.uniform(0.225, 0.25)), head=float(rng.uniform(0.074, 0.09)), girth=girth,
    )  # fmt: skip


def jitter(rng: Random, color: Color) -> Color:
    """A colour close to `color`."""
    red, green, blue = (int(np.clip(c + rng.normal(0, 9), 0, 255)) for c in color)
    return red, green, blue


def sample(rng: Random) -> Look:
    """Return a random appearance."""
    style = pick(rng, HAIRSTYLES)
    sleeve = float(rng.choice([0.0, 0.42, 0.5, 0.95, 1.0], p=[0.08, 0.25, 0.25, 0.12, 0.3]))
    top = jitter(rng, pick(rng, CLOTHES))
    bottom = top if rng.random() < 0.06 else jitter(rng, pick(rng, BOTTOMS))
    shoes = pick(rng, [(245, 242, 238), (48, 46, 54), (214, 72, 66), (110, 72, 50), (60, 110, 180)])
    return Look(
        build=sample_build(rng), skin=mix(pick(rng, SKINS), pick(rng, SKINS), 0.2),
        hair=jitter(rng, pick(rng, HAIRS)), hairstyle=style,
        hat="none" if style in ("bun", "scarf", "curls") else pick(rng, HATS),
        top=top, accent=pick(rng, CLOTHES), pattern=pick(rng, PATTERNS), sleeve=sleeve,
        lower=pick(rng, LOWERS), bottom=bottom, hem=float(rng.uniform(0.36, 0.7)), shoes=shoes,
        beard=style in ("short", "side", "buzz", "bald") and rng.random() < 0.25,
        glasses=rng.random() < 0.15, backpack=rng.random() < 0.08,
    )  # fmt: skip
