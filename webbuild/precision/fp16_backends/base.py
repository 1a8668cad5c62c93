"""The interface of a float16 backend: it runs a graph on inputs and returns the outputs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from numpy.typing import NDArray

from webbuild.runners.stateful import StatefulRuns
from webbuild.runners.tensors import Tensors

if TYPE_CHECKING:
    import onnx_ir as ir

    from webbuild.manifest.manifest import StateInput


class Fp16Backend(ABC):
    """Computes graphs with float16 in them. A block with `with` closes it.

    Attributes:
        name: what computes, for people: `emulated`, `Chromium`.
        reason: why this one: what the better ones lack here, or what it has.
    """

    name: str
    reason: str

    @abstractmethod
    def run(
        self, model: ir.Model, feeds: Sequence[Tensors], states: Sequence[StateInput] = ()
    ) -> list[dict[str, NDArray[Any]]]:
        """Return the outputs of a graph by name, for each input, in order.

        Args:
            model: an ordinary graph, with values and initializers of float16 and Casts between them and float32.
                It is not changed.
            feeds: its inputs by name, in the types and shapes that it declares.
            states: of the steps of a sequence, each of which takes those of the one before; none for runs on their own.

        Raises:
            WebbuildError: `fp16-backend-failed` where it cannot be computed; the message names what computes.
        """

    def as_fed(self, feeds: Sequence[Tensors]) -> Sequence[Tensors]:
        """Return the inputs of runs in the shapes that a graph takes."""
        return feeds

    @staticmethod
    def _in_turn(
        run: Callable[[Tensors], dict[str, NDArray[Any]]], feeds: Sequence[Tensors], states: Sequence[StateInput]
    ) -> list[dict[str, NDArray[Any]]]:
        """Return the outputs of one run after the other."""
        runs = StatefulRuns(run, states)
        return [dict(runs(run_feeds, continues=at > 0)) for at, run_feeds in enumerate(feeds)]

    def close(self) -> None:  # noqa: B027  (most hold nothing)
        """Let go of what computes. Another run is an error."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
