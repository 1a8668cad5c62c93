"""The runner protocol of comparisons: feeds in, outputs out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from numpy.typing import NDArray

Tensors = Mapping[str, NDArray[Any]]


class Runner(Protocol):
    """Computes a model somewhere. `name` says where, for people."""

    @property
    def name(self) -> str:
        """Where it computes, for people."""

    def run(self, feeds: Tensors) -> dict[str, NDArray[Any]]:
        """Return every output by name."""
