"""Feeds for state inputs before the first run of a sequence: zeros."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from webbuild.manifest.manifest import Input
from webbuild.manifest.states import state_inputs


def state_feeds(inputs: Sequence[Input]) -> dict[str, NDArray[Any]]:
    """Return zeros for each state input."""
    return {spec.name: np.zeros(spec.shape, spec.dtype) for spec in state_inputs(inputs)}
