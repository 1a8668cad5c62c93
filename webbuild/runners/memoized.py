"""A native runner that is asked the same again and again: it remembers what it answered."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from webbuild.runners.native import NativeRunner
from webbuild.runners.runner import Tensors

_MAX_BYTES = 256 << 20
"""Bytes of answers that are kept; what does not fit is computed again."""


class MemoizedRunner(NativeRunner):
    """Answers as another runner does, and computes nothing twice."""

    def __init__(self, runner: NativeRunner) -> None:
        self._runner = runner
        self._answers: dict[bytes, dict[str, NDArray[Any]]] = {}
        self._bytes = 0
        self.path, self.input_dtypes, self.output_shapes = runner.path, runner.input_dtypes, runner.output_shapes

    def close(self) -> None:
        """Let go of the session, and keep the answers."""
        self._runner.close()

    @contextmanager
    def perturbed(self, change: Callable[[Tensors], Tensors]) -> Iterator[None]:
        """Run with other weights until the block ends; what they answer is not kept."""
        kept, self._answers = (self._answers, self._bytes), {}
        try:
            with self._runner.perturbed(change):
                yield
        finally:
            self._answers, self._bytes = kept

    def run(self, feeds: Tensors) -> dict[str, NDArray[Any]]:
        """Return every output by name. Raises WebbuildError `reference-run-failed`."""
        key = _feeds_digest(feeds)
        if key in self._answers:
            return self._answers[key]
        answer = self._runner.run(feeds)
        size = sum(array.nbytes for array in answer.values())
        if self._bytes + size <= _MAX_BYTES:
            self._answers[key] = answer
            self._bytes += size
        return answer


def _feeds_digest(feeds: Tensors) -> bytes:
    digest = hashlib.sha256()
    for name, array in sorted(feeds.items()):
        digest.update(f"{name} {array.dtype} {array.shape} ".encode())
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.digest()
