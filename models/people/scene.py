"""What a picture shows: a place, the things and the people in it, and the labels they get."""

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
    """One person: box x1 y1 x2 y2 of what shows, area of what shows, key points [17, 3]."""

    box: Array
    area: float
    keypoints: Array


@dataclass(frozen=True)
class Thing:
    """A piece of clutter at (x, y), `height` pixels to the grown-up."""

    draw: things.Thing
    x: float
    y: float
    height: float
    seed: int


@dataclass(frozen=True)
class Scene:
    """What a picture shows; drawing it needs nothing else."""

    width: int
    height: int
    place: places.Place
    seed: int
    actors: tuple[Person | Thing, ...]


def child(figure: Look) -> float:
    """Height of a figure next to a grown-up."""
    return 0.72 if figure.build.head > 0.095 else 1.0
