"""The room behind the things: sky above a wall above a floor, each with its own pattern."""

from __future__ import annotations

import numpy as np

from models.scenes.names import STUFF
from models.scenes.shapes import Array

Colour = tuple[int, int, int]
SKIES: tuple[Colour, ...] = ((150, 190, 225), (198, 208, 216), (120, 140, 170))
WALLS: tuple[Colour, ...] = ((188, 170, 150), (150, 140, 132), (120, 104, 96), (170, 178, 164))
FLOORS: tuple[Colour, ...] = ((108, 92, 76), (92, 96, 100), (132, 118, 92))


def smooth_noise(rng: np.random.Generator, shape: tuple[int, int], cell: int) -> Array:
    """Return noise [h, w] of mean 0 and scale about 1, interpolated linearly from a grid of `cell` pixels."""
    height, width = shape
    knots = rng.standard_normal((height // cell + 2, width // cell + 2)).astype(np.float32)
    rows, columns = np.arange(height, dtype=np.float32) / cell, np.arange(width, dtype=np.float32) / cell
    top, left = rows.astype(int), columns.astype(int)
    down, right = (rows - top)[:, None], (columns - left)[None]
    upper = knots[top][:, left] * (1 - right) + knots[top][:, left + 1] * right
    lower = knots[top + 1][:, left] * (1 - right) + knots[top + 1][:, left + 1] * right
    return np.asarray(upper * (1 - down) + lower * down, np.float32)


def pattern(rng: np.random.Generator, name: str, grid: tuple[Array, Array], horizon: float) -> Array:
    """Return the shading [h, w] around 0 of a stuff class: clouds, bricks or planks, tiles in perspective."""
    x, y = grid
    unit = y.shape[0] / 128
    if name == "sky":
        clouds = smooth_noise(rng, (y.shape[0], y.shape[1]), max(int(24 * unit), 2))
        return np.asarray(0.12 * np.maximum(clouds, 0) - 0.1 * y / y.shape[0], np.float32)
    if name == "floor":
        depth = 20 * unit / (y - np.float32(horizon) + 12 * unit)  # rows lie closer together farther away
        column = (x - x.shape[1] / 2) * depth / (16 * unit)
        row = 12 * depth
        return np.asarray(0.06 * np.sign(np.sin(np.pi * column) * np.sin(np.pi * row)), np.float32)
    step = rng.uniform(7, 16) * unit
    course = np.floor(y / step)
    mortar = (np.mod(y, step) < 1.2 * unit) | (np.mod(x + (course % 2) * step, 2 * step) < 1.2 * unit)
    return np.asarray(np.where(mortar, rng.uniform(-0.18, 0.0), 0.0), np.float32)


def paint(rng: np.random.Generator, grid: tuple[Array, Array]) -> tuple[Array, np.ndarray]:
    """Return a room without things.

    Returns:
        Its RGB [h, w, 3] from 0 to 1, and the index in `STUFF` of every pixel, uint8 [h, w].
    """
    height, width = grid[0].shape
    wall_top = height * (rng.uniform(0.12, 0.45) if rng.random() < 0.75 else 0.0)
    floor_top = height * rng.uniform(0.6, 0.85)
    slope = rng.uniform(-0.06, 0.06)
    tilted = grid[1] + np.float32(slope) * (grid[0] - width / 2)
    kind = (tilted >= wall_top).astype(np.uint8) + (tilted >= floor_top)
    image = np.zeros((height, width, 3), np.float32)
    for index, (name, colours) in enumerate(zip(STUFF, (SKIES, WALLS, FLOORS), strict=True)):
        colour = np.array(colours[rng.integers(len(colours))], np.float32) / 255 + rng.normal(0, 0.02, 3)
        shade = 1 + pattern(rng, name, grid, floor_top)
        image = np.where((kind == index)[..., None], colour * shade[..., None], image)
    return image.astype(np.float32), kind.astype(np.uint8)
