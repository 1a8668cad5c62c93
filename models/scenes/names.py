"""Class names of the drawings: shapes are things; sky, wall and floor are stuff."""

from __future__ import annotations

SHAPES = ("circle", "square", "triangle", "star", "ring", "cross")
STUFF = ("sky", "wall", "floor")
CATEGORIES = SHAPES + STUFF
"""Classes of the panoptic ground truth: things first."""

COLOURS: dict[str, tuple[int, int, int]] = {
    "red": (214, 38, 42),
    "green": (40, 158, 62),
    "blue": (38, 74, 206),
    "yellow": (244, 212, 36),
    "purple": (146, 44, 178),
    "white": (246, 246, 246),
}

PHRASES = tuple(f"{colour} {shape}" for colour in COLOURS for shape in SHAPES)
