"""Feeds for number inputs, such as a strength."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from webbuild.manifest.manifest import Input, NumberInput


def number_feeds(inputs: Sequence[Input]) -> dict[str, NDArray[np.float32]]:
    """Return the default value of each number input, in the input's shape."""
    numbers = [spec for spec in inputs if isinstance(spec, NumberInput)]
    return {spec.name: np.full(spec.shape, spec.default, np.float32) for spec in numbers}
