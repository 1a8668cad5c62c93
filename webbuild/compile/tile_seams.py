"""Seams between tiles: how far two tiles of a photograph differ where they meet, with native ONNX Runtime."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from webbuild.manifest.manifest import ImageInput, Letterbox
from webbuild.preprocess.image import image_to_canvas, input_size, load_image, normalize
from webbuild.runners.native import NativeRunner
from webbuild.samples.random_inputs import SAMPLE_IMAGES
from webbuild.tasks.base import Tensors, TiledOutput

SECONDS = 20.0
"""Seconds for measuring; one pair of tiles is compared in any case."""


class Seam(Struct, frozen=True):
    """How far two tiles differ: 0 is black, 1 is white."""

    largest: float
    mean: float


class SeamMeasure:
    """Tiles of two photographs, one pair side by side, the other one above the other."""

    def __init__(
        self,
        image: ImageInput,
        outputs: Sequence[TiledOutput],
        original: NativeRunner,
        beside: Mapping[str, NDArray[Any]],
    ) -> None:
        self._image, self._outputs, self._original, self._beside = image, outputs, original, beside
        self._began = time.monotonic()
        self._files = sorted(SAMPLE_IMAGES.glob("*.jpg"))[:2]

    @property
    def has_time(self) -> bool:
        """Whether there is time for another comparison."""
        return time.monotonic() - self._began < SECONDS

    def overlap(self, halo: int, multiple: int) -> Seam:
        """Compare two tiles, half of a tile without its halo apart, wherever both are exact.

        Raises:
            WebbuildError: `reference-run-failed`.
        """
        return self._measure(halo, multiple, halo, at_seam=False)

    def seam(self, halo: int, multiple: int, feather: int) -> Seam:
        """Compare the overlap of two tiles that is blended, the tiles as far apart as the halo allows.

        Raises:
            WebbuildError: `reference-run-failed`.
        """
        return self._measure(halo, multiple, feather, at_seam=True)

    def _measure(self, halo: int, multiple: int, margin: int, *, at_seam: bool) -> Seam:
        found = list(self._differences(halo, multiple, margin, at_seam=at_seam))
        return Seam(max(float(each.max()) for each in found), float(np.mean([each.mean() for each in found])))

    def _differences(self, halo: int, multiple: int, margin: int, *, at_seam: bool) -> Iterator[NDArray[np.float64]]:
        """Yield the differences of each output of each pair of tiles; of the second pair only if there is time."""
        for axis, file in enumerate(reversed(self._files)):
            if axis and not self.has_time:
                return
            size = input_size(self._image)[1 - axis]
            room = size - 2 * halo
            shift = max(multiple, (room if at_seam else room // 2) // multiple * multiple)
            middle, reach = (shift + size) // 2, max(1, margin)
            start, end = (middle - reach, middle + reach) if at_seam else (shift + halo, size - halo)
            one, other = self._tiles(file, 1 - axis, shift)
            for output in self._outputs:
                first = _kept(output, one[output.name], 1 - axis, start, end)
                second = _kept(output, other[output.name], 1 - axis, start - shift, end - shift)
                # what is seen of a seam lies between black and white; what is to be equal is so beyond them too
                yield np.abs(np.clip(first, 0, 1) - np.clip(second, 0, 1) if at_seam else first - second)

    def _tiles(self, file: Any, axis: int, shift: int) -> Iterator[Tensors]:
        """Yield the outputs for a photograph's first tile, and for the tile `shift` pixels further along an axis."""
        size = input_size(self._image)[axis]
        shape = list(self._image.shape)
        shape[axis + (2 if self._image.layout == "nchw" else 1)] += shift
        large = msgspec.structs.replace(self._image, shape=shape, letterbox=Letterbox(mode="crop"))
        canvas, _ = image_to_canvas(load_image(file), large)
        for begin in (0, shift):
            part = np.take(canvas, range(begin, begin + size), axis)
            # photographs have 8 bits
            feeds = {**self._beside, self._image.name: normalize(np.rint(part), self._image)}
            yield self._original.run(feeds)


def _kept(output: TiledOutput, answer: NDArray[Any], axis: int, start: int, end: int) -> NDArray[np.float64]:
    """Return the part of a tile from `start` to `end`, in pixels of the picture: black is 0, white is 1."""
    places = range(start * output.scale, end * output.scale)
    kept = np.take(answer, places, axis + output.rows_axis(answer.ndim)).astype(np.float64)
    return (kept - output.low) / (output.high - output.low)
