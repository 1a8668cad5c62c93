"""A native runner that memoizes its outputs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from webbuild.runners.content_cache import ContentCache
from webbuild.runners.content_hash import hash_environment, hash_parts, hash_tensors
from webbuild.runners.native import NativeRunner
from webbuild.runners.tensors import Tensors

_MAX_BYTES = 256 << 20
"""Maximum bytes of outputs kept in memory; outputs that do not fit are computed again."""

Answer = dict[str, NDArray[Any]]


class MemoizedRunner(NativeRunner):
    """A runner that memoizes the outputs of another, in memory and in a cache on disk.

    Args:
        runner: the runner that computes the outputs.
        cache: the disk cache, which later packs use too. Without one, or if it is full, outputs stay in memory.
        known: `cached_answers` of another memoized runner of the same graph.
    """

    def __init__(
        self,
        runner: NativeRunner,
        cache: ContentCache | None = None,
        known: Mapping[str, Answer] = MappingProxyType({}),
    ) -> None:
        self._runner, self._cache = runner, cache
        self._answers = dict(known)
        self._bytes = sum(map(_size, known.values()))
        self._hash = ""
        self.path, self.input_dtypes, self.output_shapes = runner.path, runner.input_dtypes, runner.output_shapes

    @property
    def cached_answers(self) -> Mapping[str, Answer]:
        """The outputs in memory, by hash of the inputs."""
        return self._answers

    def close(self) -> None:
        """Release the session, and keep the outputs."""
        self._runner.close()

    @contextmanager
    def perturbed(self, change: Callable[[Tensors], Tensors]) -> Iterator[None]:
        """Run with other weights until the block ends, without storing the outputs."""
        saved, self._answers, self._cache = (self._answers, self._bytes, self._cache), {}, None
        try:
            with self._runner.perturbed(change):
                yield
        finally:
            self._answers, self._bytes, self._cache = saved

    def run(self, feeds: Tensors) -> dict[str, NDArray[Any]]:
        """Return every output by name. Raises WebbuildError `reference-run-failed`."""
        key = hash_tensors(feeds)
        if key in self._answers:
            return self._answers[key]
        if self._cache is not None and (cached := self._cache.read(self._entry(key))) is not None:
            return _decode(cached)
        answer = self._runner.run(feeds)
        if self._cache is None or not _is_plain(answer) or not self._cache.write(self._entry(key), _encode(answer)):
            self._remember(key, answer)
        return answer

    def _entry(self, key: str) -> str:
        """Return the cache key of the outputs for inputs with the hash `key`."""
        self._hash = self._hash or hash_parts(hash_environment(), self._runner.content_hash())
        return hash_parts(self._hash, key)

    def _remember(self, key: str, answer: Answer) -> None:
        size = _size(answer)
        if self._bytes + size <= _MAX_BYTES:
            self._answers[key] = answer
            self._bytes += size


def _size(answer: Answer) -> int:
    return sum(array.nbytes for array in answer.values())


def _is_plain(answer: Answer) -> bool:
    """Whether all outputs have native NumPy number types: no strings, no bfloat16."""
    return all(array.dtype.kind in "biuf" for array in answer.values())


def _encode(answer: Answer) -> bytes:
    return msgspec.msgpack.encode([(name, a.dtype.str, a.shape, a.tobytes()) for name, a in answer.items()])


def _decode(data: bytes) -> Answer:
    arrays = msgspec.msgpack.decode(data, type=list[tuple[str, str, tuple[int, ...], bytes]])
    return {name: np.frombuffer(content, dtype).reshape(shape).copy() for name, dtype, shape, content in arrays}
