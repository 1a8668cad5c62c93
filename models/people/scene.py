"""A scene: a place, its things and people, and their labels."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from models.people import places, things
from models.people.look import Look
from models.people.person import Person

Pixels = np.ndarray[Any, np.dtype[np.uint8]]
Array = np.ndarray[Any, np.dtype[np.float64]]


@dataclass(frozen=True)
class Label:
    """One person: box x1 y1 x2 y2 and area of the visible pixels, key points [17, 3]."""

    box: Array
    area: float
    keypoints: Array


@dataclass(frozen=True)
class Thing:
    """A thing at (x, y), at a scale of `height` pixels per adult."""

    draw: things.Thing
    x: float
    y: float
    height: float
    seed: int


@dataclass(frozen=True)
class Scene:
    """A complete description of a picture, sufficient to draw it."""

    width: int
    height: int
    place: places.Place
    seed: int
    actors: tuple[Person | Thing, ...]


def child(figure: Look) -> float:
    """Return a figure's height relative to an adult."""
    return 0.72 if figure.build.head > 0.095 else 1.0
