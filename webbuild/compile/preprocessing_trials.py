"""Preprocessing found by trial: the candidate whose outputs depend most on the image is chosen."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from webbuild.errors import WebbuildError
from webbuild.manifest.manifest import CropInput, ImageInput
from webbuild.preprocess.image import load_image, normalize
from webbuild.preprocess.picture import picture_to_canvas
from webbuild.runners.native import NativeRunner
from webbuild.samples.random_inputs import SAMPLE_IMAGES

SECONDS = 10.0
"""Time limit of the trials: a slow model gets fewer trials."""
_LEAST_CLASSES, _MOST_CLASSES = 4, 256
"""Channel counts of class maps: three channels may be a picture."""
_LEAST_LINE, _OVER = 8, 0.05
"""Least elements of a vector output that may hold landmarks in 0..1, and their allowed overshoot."""
_RIPPLE = 0.05
"""Minimum spread of an output relative to its RMS: so noise on a constant output counts little."""


def sample_canvases(image: ImageInput | CropInput) -> list[NDArray[np.float64]]:
    """Return two photographs at the size of an input, RGB [height, width, 3] in 0..255."""
    photographs = [load_image(file) for file in sorted(SAMPLE_IMAGES.glob("*.jpg"))[:2]]
    return [picture_to_canvas(pixels, image) for pixels in photographs]


def sample_answers(image: ImageInput | CropInput, native: NativeRunner) -> list[dict[str, NDArray[Any]]]:
    """Return a model's outputs on the two photographs, preprocessed for its only input.

    Raises:
        WebbuildError: `reference-run-failed`.
    """
    answers = [native.run({image.name: normalize(canvas, image)}) for canvas in sample_canvases(image)]
    native.close()
    return answers


class PreprocessingTrials:
    """Trials of a model on two photographs, one candidate preprocessing at a time, within a time limit."""

    def __init__(
        self,
        image: ImageInput,
        original: NativeRunner,
        seconds: float = SECONDS,
        other_feeds: Mapping[str, NDArray[Any]] | None = None,
    ) -> None:
        self._original, self._other_feeds = original, other_feeds or {}
        self.canvases = sample_canvases(image)
        self.overshoots: list[float] = []
        """For each tried candidate, the fraction of elements of vector outputs outside of 0..1."""
        self.empty: list[bool] = []
        """For each tried candidate, whether the outputs of both photographs are empty."""
        self._left = seconds
        self._longest = 0.0

    def dependences(self, candidates: Sequence[ImageInput]) -> Iterator[float | None]:
        """Yield the picture dependence of each candidate's outputs, None if they are not finite.

        Stops if the next candidate would exceed the time limit.
        """
        for spec in candidates:
            if self._longest > self._left:
                return
            started = time.monotonic()
            yield self._dependence(spec)
            took = time.monotonic() - started
            self._longest, self._left = max(self._longest, took), self._left - took

    def _dependence(self, spec: ImageInput) -> float | None:
        try:
            one, other = (self._answer(spec, canvas) for canvas in self.canvases)
        except WebbuildError:
            self.overshoots.append(1.0)
            self.empty.append(True)
            return None
        self.empty.append(is_empty(one) and is_empty(other))
        self.overshoots.append(max(_overshoot(one), _overshoot(other)))
        with np.errstate(invalid="ignore", over="ignore"):
            score = picture_dependence(one, other)
        return score if np.isfinite(score) else None

    def _answer(self, spec: ImageInput, canvas: NDArray[np.float64]) -> Mapping[str, NDArray[Any]]:
        return self._original.run({**self._other_feeds, spec.name: normalize(canvas, spec)})


def is_empty(answer: Mapping[str, NDArray[Any]]) -> bool:
    """Whether the outputs of a run are empty: one has no elements, or all hold only 0, or only -1 as padding."""
    blank = (not array.any() or (array.size > 1 and bool((array == -1).all())) for array in answer.values())
    return any(array.size == 0 for array in answer.values()) or all(blank)


def _overshoot(answer: Mapping[str, NDArray[Any]]) -> float:
    """Return the fraction of elements outside of 0..1 in vector outputs, 0 without any."""
    lines = [array.ravel() for array in answer.values() if _LEAST_LINE <= array.size == max(array.shape, default=0)]
    return float(np.mean([np.mean((line < -_OVER) | (line > 1 + _OVER)) for line in lines])) if lines else 0.0


def picture_dependence(one: Mapping[str, NDArray[Any]], other: Mapping[str, NDArray[Any]]) -> float:
    """Return how much the outputs for two pictures differ: 0 if they are equal, 1 if they have nothing in common.

    It is the mean over the outputs of std between the pictures / max(std of all elements, _RIPPLE * RMS); for class
    maps, the fraction of pixels with another class. NaN if an output is not finite.
    """
    shares = []
    for name, first in one.items():
        second = other[name]
        if first.shape != second.shape:
            shares.append(1.0)
            continue
        if (classes := _class_numbers(first, second)) is not None:
            shares.append(float(np.mean(classes[0] != classes[1])))
            continue
        both = np.stack([first, second]).astype(np.float64)
        size = float(np.sqrt(np.mean(both**2))) if both.size else 0.0
        spread = max(float(both.std()), _RIPPLE * size) if both.size else 0.0
        shares.append(float((both - both.mean(axis=0)).std() / spread) if size else 0.0)
    return float(np.mean(shares)) if shares else 0.0


def _class_numbers(first: NDArray[Any], second: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]] | None:
    """Return the argmax class of each pixel of two class maps; None for other outputs."""
    if first.ndim != 4 or first.shape[0] != 1:
        return None
    channels, last = first.shape[1], first.shape[3]
    axis = 1 if channels < min(first.shape[2:]) else 3 if last < min(first.shape[1:3]) else 0
    if not axis or not _LEAST_CLASSES <= first.shape[axis] <= _MOST_CLASSES:
        return None
    return first.argmax(axis), second.argmax(axis)
