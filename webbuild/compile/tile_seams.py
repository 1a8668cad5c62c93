"""Seams between tiles: how much two tiles of a photograph differ where they meet, with native ONNX Runtime."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from webbuild.manifest.inputs.letterbox import Letterbox
from webbuild.manifest.inputs.mask import MaskInput
from webbuild.manifest.inputs.picture import ImageInput, MaskChannel
from webbuild.preprocess.image import image_to_canvas, input_size, load_image, normalize
from webbuild.preprocess.mask import Hole, sample_hole, with_resized_hole
from webbuild.runners.native import NativeRunner
from webbuild.runners.tensors import Tensors
from webbuild.samples.random_inputs import SAMPLE_IMAGES
from webbuild.tasks.kind.tiling import TiledOutput

_SECONDS = 20.0
"""Time limit; at least one pair of tiles is always compared."""


class Seam(Struct, frozen=True):
    """Differences of two tiles, relative to black = 0 and white = 1."""

    largest: float
    mean: float


class SeamMeasure:
    """Measures seams on two photographs: two tiles side by side, then one above the other; with a mask, in its hole."""

    def __init__(
        self,
        image: ImageInput,
        mask: MaskInput | MaskChannel | None,
        outputs: Sequence[TiledOutput],
        original: NativeRunner,
        other_feeds: Mapping[str, NDArray[Any]],
    ) -> None:
        self._image, self._mask, self._outputs, self._original, self._other_feeds = (
            image,
            mask,
            outputs,
            original,
            other_feeds,
        )
        self._began = time.monotonic()
        self._files = sorted(SAMPLE_IMAGES.glob("*.jpg"))[:2]

    @property
    def has_time(self) -> bool:
        """Whether there is time for another comparison."""
        return time.monotonic() - self._began < _SECONDS

    def overlap(self, halo: int, multiple: int) -> Seam:
        """Compare two tiles, offset by half of a tile without its halo, at the pixels that must be exact in both.

        Raises:
            WebbuildError: `reference-run-failed`.
        """
        return self._measure(halo, multiple, halo, at_seam=False)

    def seam(self, halo: int, multiple: int, feather: int) -> Seam:
        """Compare the blended overlap of two tiles, offset as far as the halo allows.

        Raises:
            WebbuildError: `reference-run-failed`.
        """
        return self._measure(halo, multiple, feather, at_seam=True)

    def _measure(self, halo: int, multiple: int, margin: int, *, at_seam: bool) -> Seam:
        differences = list(self._differences(halo, multiple, margin, at_seam=at_seam))
        return Seam(
            max(float(each.max()) for each in differences), float(np.mean([each.mean() for each in differences]))
        )

    def _differences(self, halo: int, multiple: int, margin: int, *, at_seam: bool) -> Iterator[NDArray[np.float64]]:
        """Yield the differences of each output for each pair of tiles; the second pair only if there is time."""
        for axis, file in enumerate(reversed(self._files)):
            if axis and not self.has_time:
                return
            size = input_size(self._image)[1 - axis]
            room = size - 2 * halo
            shift = max(multiple, (room if at_seam else room // 2) // multiple * multiple)
            middle, reach = (shift + size) // 2, max(1, margin)
            start, end = (middle - reach, middle + reach) if at_seam else (shift + halo, size - halo)
            hole = self._hole(1 - axis, shift, at_seam=at_seam)
            one, other = self._tiles(file, 1 - axis, shift, hole)
            for output in self._outputs:
                first = _scaled_part(output, one[output.name], 1 - axis, start, end)
                second = _scaled_part(output, other[output.name], 1 - axis, start - shift, end - shift)
                # for visible seams values are clipped to black..white; exact tiles are compared unclipped
                difference = np.abs(np.clip(first, 0, 1) - np.clip(second, 0, 1) if at_seam else first - second)
                yield (
                    self._visible_difference(difference, output, np.take(hole, range(start, end), 1 - axis))
                    if at_seam
                    else difference
                )

    def _visible_difference(
        self, difference: NDArray[np.float64], output: TiledOutput, hole: Hole
    ) -> NDArray[np.float64]:
        """Return the visible differences: for a mask model, the differences in the hole."""
        if self._mask is None or output.scale != 1:
            return difference
        rows = output.rows_axis(difference.ndim)
        return np.moveaxis(difference, (rows, rows + 1), (0, 1))[hole]

    def _hole(self, axis: int, shift: int, *, at_seam: bool) -> Hole:
        """Return the hole in the picture that contains both tiles, [height, width].

        For seams it is large, as in real use; for exactness it is random pixels everywhere.
        """
        height, width = (size + (shift if axis == at else 0) for at, size in enumerate(input_size(self._image)))
        return sample_hole(width, height) if at_seam else np.random.default_rng(0).random((height, width)) < 1 / 2

    def _tiles(self, file: Any, axis: int, shift: int, hole: Hole) -> Iterator[Tensors]:
        """Yield the outputs for a photograph's first tile, and for the tile `shift` pixels further along an axis."""
        size = input_size(self._image)[axis]
        shape = list(self._image.shape)
        shape[axis + (2 if self._image.layout == "nchw" else 1)] += shift
        large = msgspec.structs.replace(self._image, shape=shape, letterbox=Letterbox(mode="crop"))
        canvas, _ = image_to_canvas(load_image(file), large)
        for begin in (0, shift):
            part = np.take(canvas, range(begin, begin + size), axis)
            # rounded, because photographs have 8 bits per channel
            feeds = {**self._other_feeds, self._image.name: normalize(np.rint(part), self._image)}
            if self._mask is not None:
                cells = np.take(hole, range(begin, begin + size), axis)
                feeds = with_resized_hole(feeds, self._image, self._mask, cells)
            yield self._original.run(feeds)


def _scaled_part(output: TiledOutput, answer: NDArray[Any], axis: int, start: int, end: int) -> NDArray[np.float64]:
    """Return the part of a tile from `start` to `end`, in pixels of the picture, scaled to black = 0, white = 1."""
    places = range(start * output.scale, end * output.scale)
    part = np.take(answer, places, axis + output.rows_axis(answer.ndim)).astype(np.float64)
    return (part - output.low) / (output.high - output.low)
