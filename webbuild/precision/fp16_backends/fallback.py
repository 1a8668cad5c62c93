"""The float16 backend of the proof: the best one available, or else the one of the search."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from webbuild.errors import WebbuildError

if TYPE_CHECKING:
    import onnx_ir as ir

    from webbuild.precision.fp16_backends import Fp16Backend
    from webbuild.precision.fp16_backends.base import Tensors


class FallbackBackend:
    """Computes a graph. A better arithmetic that gives no answer is reported, and does not count against the graph.

    Args:
        best: the best that there is here.
        quick: what searched; the same, where that is quick enough.
        say: called with a message where that happens.
    """

    def __init__(self, best: Fp16Backend, quick: Fp16Backend, say: Callable[[str], None]) -> None:
        self._best, self._quick, self._say = best, quick, say
        self.name = best.name

    def run(self, model: ir.Model, feeds: Sequence[Tensors]) -> Sequence[Tensors]:
        """Return the outputs for each input, in order; `name` says afterwards what computed them.

        Raises:
            WebbuildError: `fp16-backend-failed`.
        """
        try:
            return self._best.run(model, feeds)
        except WebbuildError as error:
            if self._best is self._quick or error.code != "fp16-backend-failed":
                raise
            self._say(f"    {error.message}; compared with the backend of the search instead, {self._quick.name}")
            self.name = self._quick.name
            return self._quick.run(model, feeds)
