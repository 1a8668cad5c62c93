"""Draw focal stacks: one textured scene, focused at several distances by a thin lens, and its depth.

Every surface is cut into slices of nearly constant depth. A slice is blurred with a disc, its circle of confusion. The
surfaces are composited from the farthest to the nearest, so that a blurred surface in front is partly transparent.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from models.scenes import places
from models.scenes.names import COLOURS, SHAPES
from models.scenes.picture import Pixels
from models.scenes.shapes import Array, coverage

FOCUS_DISTANCES = (0.5, 0.7, 1.0, 1.6, 3.0)
"""Metres, from near to far."""

NEAREST, FARTHEST = FOCUS_DISTANCES[0], FOCUS_DISTANCES[-1]
APERTURE = 7.0
"""Radius of the blur in pixels, at a picture side of 96, for a difference of one dioptre."""

MARGIN = 16
"""Pixels drawn beyond every edge, so that things outside blur into the picture."""

SLICE = 0.06
"""The largest thickness of a slice in dioptres: less than half a pixel of blur."""


@dataclass(frozen=True)
class Stack:
    """Pictures [n, h, w, 3], the distances [n] in metres at which each is focused, and the depth [h, w] in metres."""

    images: Pixels
    distances: Array
    depth: Array


@dataclass(frozen=True)
class Surface:
    """A flat surface: its colours [h, w, 3], its coverage of each pixel and its dioptres, both [h, w]."""

    colour: Array
    share: Array
    dioptres: Array


def draw(rng: np.random.Generator, height: int, width: int, distances: tuple[float, ...] = FOCUS_DISTANCES) -> Stack:
    """Draw a wall or a floor, up to six things in front of it, and photograph them at every distance."""
    down, across = np.mgrid[: height + 2 * MARGIN, : width + 2 * MARGIN].astype(np.float32)
    surfaces = _surfaces(rng, (across, down))
    dioptres = surfaces[0].dioptres.copy()
    for surface in surfaces[1:]:
        dioptres = np.where(surface.share > 0.5, surface.dioptres, dioptres)
    scale = APERTURE * min(height, width) / 96
    images = photograph(surfaces, [1 / distance for distance in distances], scale)
    inner = np.s_[..., MARGIN:-MARGIN, MARGIN:-MARGIN]
    noisy = images[inner] + rng.normal(0, 0.008, images[inner].shape)
    pixels = (np.clip(noisy, 0, 1) * 255).round().astype(np.uint8).transpose(0, 2, 3, 1)
    return Stack(
        np.ascontiguousarray(pixels), np.array(distances, np.float32), (1 / dioptres[inner]).astype(np.float32)
    )


def texture(rng: np.random.Generator, shape: tuple[int, int], base: Array) -> Array:
    """Return colours [h, w, 3] around `base`, with grain, stains and stripes that make the focus visible."""
    fine = places.smooth_noise(rng, shape, 2) * rng.uniform(0.1, 0.25)
    coarse = places.smooth_noise(rng, shape, int(rng.integers(4, 12))) * 0.12
    down, across = np.mgrid[: shape[0], : shape[1]].astype(np.float32)
    turn, period = rng.uniform(0, np.pi), rng.uniform(3, 9)
    stripes = np.sign(np.sin(2 * np.pi * (across * np.cos(turn) + down * np.sin(turn)) / period)) * rng.uniform(0, 0.2)
    colours: Array = np.clip(base * (1 + fine + coarse + stripes)[..., None], 0, 1).astype(np.float32)
    return colours


def _surfaces(rng: np.random.Generator, grid: tuple[Array, Array]) -> list[Surface]:
    """Return the surfaces of the scene, from the farthest to the nearest."""
    down = grid[1]
    shape = (down.shape[0], down.shape[1])
    side = min(shape) - 2 * MARGIN
    near, far = 1 / NEAREST, 1 / FARTHEST
    wall = rng.uniform(far, 0.45)
    rise = rng.uniform(0.0, 1.2)  # of the floor, in dioptres from the horizon to the lower edge
    horizon = rng.uniform(0.3, 0.9) * shape[0]
    dioptres = np.clip(wall + rise * np.maximum(down - horizon, 0) / side, far, near).astype(np.float32)
    base = rng.uniform(0.3, 0.8, 3).astype(np.float32)
    surfaces = [Surface(texture(rng, shape, base), np.ones(shape, np.float32), dioptres)]
    for depth in np.sort(rng.uniform(0.5, near, int(rng.integers(2, 7)))):
        colour = np.array(list(COLOURS.values())[rng.integers(len(COLOURS))], np.float32) / 255
        radius = side * rng.uniform(0.12, 0.35)
        centre = float(rng.uniform(0, shape[1])), float(rng.uniform(0, shape[0]))
        share = coverage(SHAPES[rng.integers(len(SHAPES))], grid, centre, radius, float(rng.uniform(0, 6.3)))
        flat = np.full(shape, depth, np.float32)
        surfaces.append(Surface(texture(rng, shape, (colour * 0.85).astype(np.float32)), share, flat))
    return surfaces


def photograph(surfaces: list[Surface], focus: list[float], scale: float) -> Array:
    """Blur and composite the surfaces, once for every focus distance.

    Args:
        surfaces: from the farthest to the nearest; the farthest covers everything.
        focus: distances in dioptres.
        scale: pixels of blur radius for one dioptre.

    Returns:
        Pictures [focus, 3, h, w] from 0 to 1.
    """
    shape = surfaces[0].share.shape
    result = np.zeros((len(focus), 3, *shape), np.float32)
    for surface in surfaces:
        light = np.zeros((len(focus), 4, *shape), np.float32)
        for middle, part in _slices(surface):
            covered = np.concatenate([surface.colour.transpose(2, 0, 1) * part, part[None]])
            spectrum = np.fft.rfft2(covered)
            discs = np.stack([disc_spectrum(scale * abs(middle - one), shape) for one in focus])
            light += np.fft.irfft2(spectrum[None] * discs[:, None], shape).astype(np.float32)
        if surface is surfaces[0]:
            light /= np.maximum(light[:, 3:], 1e-3)
        result = result * (1 - np.clip(light[:, 3:], 0, 1)) + light[:, :3]
    return result


def _slices(surface: Surface) -> list[tuple[float, Array]]:
    """Return every slice's mean depth in dioptres, and the surface's coverage [h, w] within it."""
    low, high = float(surface.dioptres.min()), float(surface.dioptres.max())
    count = int((high - low) / SLICE) + 1
    index = np.minimum((surface.dioptres - low) / max(high - low, 1e-6) * count, count - 1).astype(int)
    middles = low + (np.arange(count) + 0.5) * (high - low) / count
    return [(float(middles[n]), np.where(index == n, surface.share, np.float32(0))) for n in range(count)]


_DISCS: dict[tuple[int, tuple[int, ...]], Any] = {}


def disc_spectrum(radius: float, shape: tuple[int, ...]) -> Any:
    """Return the spectrum of an antialiased disc around the first pixel, with sum 1; radii are rounded to 1/8."""
    key = (round(radius * 8), shape)
    if key not in _DISCS:
        rows, columns = np.fft.fftfreq(shape[0]) * shape[0], np.fft.fftfreq(shape[1]) * shape[1]
        disc = np.clip(key[0] / 8 + 0.5 - np.hypot(rows[:, None], columns[None]), 0, 1)
        _DISCS[key] = np.fft.rfft2(disc / disc.sum()).astype(np.complex64)
    return _DISCS[key]
