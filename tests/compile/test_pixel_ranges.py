"""Which usual range of pixel values an input has."""

from __future__ import annotations

import pytest

from webbuild.compile.pixel_ranges import IMAGENET, PLAIN, SIGNED, UNIT, PixelRange, range_of, with_range
from webbuild.manifest.manifest import ImageInput, Letterbox


def picture(channels: int, scale: float, mean: float, std: float) -> ImageInput:
    return ImageInput(
        name="x",
        shape=[1, channels, 32, 100],
        color="rgb" if channels == 3 else "gray",
        scale=scale,
        mean=[mean] * channels,
        std=[std] * channels,
        letterbox=Letterbox(),
    )


@pytest.mark.parametrize("channels", [1, 3])
@pytest.mark.parametrize(
    ("scale", "mean", "std", "usual"),
    [
        (1 / 255, 0.0, 1.0, UNIT),
        (1 / 127.5, 1.0, 1.0, SIGNED),
        (1 / 255, 0.5, 0.5, SIGNED),
        (1.0, 127.5, 127.5, SIGNED),
        (1.0, 0.0, 1.0, PLAIN),
        (1 / 64, 0.0, 1.0, UNIT),
    ],
)
def test_a_range_is_known_however_its_scale_and_deviation_are_split(
    channels: int, scale: float, mean: float, std: float, usual: PixelRange
) -> None:
    assert range_of(picture(channels, scale, mean, std)) is usual


def test_imagenet_s_range_needs_three_channels() -> None:
    assert range_of(with_range(picture(3, 1.0, 0.0, 1.0), IMAGENET)) is IMAGENET
    assert range_of(with_range(picture(1, 1.0, 0.0, 1.0), IMAGENET)) is UNIT
