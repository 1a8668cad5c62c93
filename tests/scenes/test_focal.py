"""A synthetic focal stack is sharp where the depth map says so."""

from __future__ import annotations

import numpy as np
import pytest

from models.scenes import dataset, focal
from models.scenes.focal import Surface
from models.scenes.shapes import Array


def sharpness(image: np.ndarray) -> Array:
    """Squared differences of neighbours, averaged over 7 x 7: [h, w]."""
    grey = image.astype(np.float32).mean(-1)
    edges = np.abs(np.gradient(grey)[0]) ** 2 + np.abs(np.gradient(grey)[1]) ** 2
    padded = np.pad(edges, 3, mode="edge")
    windows = np.lib.stride_tricks.sliding_window_view(padded, (7, 7))
    return np.asarray(windows.mean((2, 3)), np.float32)


def test_the_sharpest_picture_is_the_one_focused_nearest_to_the_depth() -> None:
    found = []
    for number in range(6):
        stack = dataset.stack("check", number)
        best = np.stack([sharpness(image) for image in stack.images]).argmax(0)
        away = np.abs(1 / stack.depth[None] - 1 / stack.distances[:, None, None])
        found.append((np.abs(best - away.argmin(0)) <= 1).mean())
    assert min(found) > 0.6
    assert np.mean(found) > 0.8


def test_depth_lies_between_the_distances() -> None:
    stack = dataset.stack("check", 0)
    assert stack.images.shape == (5, 96, 128, 3)
    assert stack.depth.shape == (96, 128)
    assert focal.NEAREST - 1e-3 <= stack.depth.min() < stack.depth.max() <= focal.FARTHEST + 1e-3


def test_what_is_in_focus_is_not_blurred_and_the_rest_keeps_its_light() -> None:
    rng = np.random.default_rng(0)
    flat = np.full((48, 48), 1.0, np.float32)
    surface = Surface(rng.random((48, 48, 3)).astype(np.float32), np.ones((48, 48), np.float32), flat)
    sharp, blurred = focal.photograph([surface], [1.0, 2.0], 3.0)
    assert sharp == pytest.approx(surface.colour.transpose(2, 0, 1), abs=1e-5)
    assert blurred.std() < 0.5 * sharp.std()
    assert blurred.mean() == pytest.approx(sharp.mean(), rel=1e-4)


@pytest.mark.parametrize("radius", [0.0, 1.0, 2.5])
def test_a_point_becomes_a_disc_of_its_circle_of_confusion(radius: float) -> None:
    spread = np.fft.irfft2(focal.disc_spectrum(radius, (32, 32)), (32, 32))
    assert spread.sum() == pytest.approx(1, rel=1e-4)
    assert (spread > 1e-6).sum() == (np.hypot(*np.meshgrid(*[np.fft.fftfreq(32) * 32] * 2)) < radius + 0.5).sum()
