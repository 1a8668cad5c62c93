"""Feeds and outputs of a run: arrays by the names of inputs or outputs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from numpy.typing import NDArray

Tensors = Mapping[str, NDArray[Any]]
