"""Number inputs next to a picture, such as an exposure: trials find their defaults."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from numpy.typing import NDArray

from webbuild.compile.preprocessing_trials import PreprocessingTrials
from webbuild.manifest.manifest import ImageInput, NumberInput
from webbuild.preprocess.number_feeds import number_feeds
from webbuild.runners.native import NativeRunner

_VALUES = (1.0, 0.5, 0.0, 2.0, 10.0, 100.0, -1.0)
"""Defaults that are tried, the likeliest first: 1 for a factor, 0.5 for a strength."""
_MIN_DEPENDENCE = 0.01
"""Least picture dependence of the outputs: a factor of 0 removes it all."""


def describe_number(number: NumberInput) -> str:
    """Return the assumption about a number input: its default, and the option of `run()` that sets it."""
    hint = f"run(picture, {{ numbers: {{ {number.name}: ... }} }}) changes it"
    return f"input '{number.name}' is a number, assumed to be {number.default:g}; {hint}"


def choose_numbers(
    image: ImageInput,
    numbers: Sequence[NumberInput],
    original: NativeRunner,
    other_feeds: Mapping[str, NDArray[Any]] | None = None,
) -> tuple[NumberInput, ...]:
    """Return the number inputs with the first default that gives finite, picture-dependent outputs; else unchanged."""
    for value in _VALUES:
        tried = tuple(NumberInput(name=each.name, shape=each.shape, default=value) for each in numbers)
        feeds = {**(other_feeds or {}), **number_feeds(tried)}
        score = next(PreprocessingTrials(image, original, other_feeds=feeds).dependences([image]), None)
        if score is not None and score > _MIN_DEPENDENCE:
            return tried
    return tuple(numbers)
