"""A native runner that is asked the same again and again: it remembers what it answered."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from webbuild.verify.native import NativeRunner
from webbuild.verify.runners import Tensors

_MOST = 256 << 20
"""Bytes of answers that are kept; what does not fit is computed again."""


class Remembered(NativeRunner):
    """Answers as another runner does, and computes nothing twice."""

    def __init__(self, runner: NativeRunner) -> None:
        self._runner = runner
        self._answers: dict[bytes, dict[str, NDArray[Any]]] = {}
        self._bytes = 0
        self.path, self.types, self.declared = runner.path, runner.types, runner.declared

    def close(self) -> None:
        """Let go of the session, and keep the answers."""
        self._runner.close()

    def run(self, feeds: Tensors) -> dict[str, NDArray[Any]]:
        """Return every output by name. Raises WebbuildError `native-failed`."""
        key = _key(feeds)
        if key in self._answers:
            return self._answers[key]
        answer = self._runner.run(feeds)
        size = sum(array.nbytes for array in answer.values())
        if self._bytes + size <= _MOST:
            self._answers[key] = answer
            self._bytes += size
        return answer


def _key(feeds: Tensors) -> bytes:
    digest = hashlib.sha256()
    for name, array in sorted(feeds.items()):
        digest.update(f"{name} {array.dtype} {array.shape} ".encode())
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.digest()
