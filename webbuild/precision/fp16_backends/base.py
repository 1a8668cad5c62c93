"""Interface of a float16 backend: it runs a graph on inputs and returns the outputs."""

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
    """Runs graphs with float16 values. Use it in a `with` block, which closes it.

    Attributes:
        name: the display name: `emulated`, `Chromium`.
        reason: why this backend was chosen: a feature that it has, or that better backends lack.
    """

    name: str
    reason: str

    @abstractmethod
    def run(
        self, model: ir.Model, feeds: Sequence[Tensors], states: Sequence[StateInput] = ()
    ) -> list[dict[str, NDArray[Any]]]:
        """Return the outputs of a graph by name, for each feed, in order.

        Args:
            model: a graph with float16 values and initializers, and Casts between them and float32. It is not changed.
            feeds: the inputs of each run by name, with the declared types and shapes.
            states: the states that each step of a sequence takes from the previous step; none for independent runs.

        Raises:
            WebbuildError: `fp16-backend-failed` if the graph cannot run; the message names the backend.
        """

    def as_fed(self, feeds: Sequence[Tensors]) -> Sequence[Tensors]:
        """Return the inputs of the runs in the shapes that the graph takes."""
        return feeds

    @staticmethod
    def _in_turn(
        run: Callable[[Tensors], dict[str, NDArray[Any]]], feeds: Sequence[Tensors], states: Sequence[StateInput]
    ) -> list[dict[str, NDArray[Any]]]:
        """Return the outputs of sequential runs."""
        runs = StatefulRuns(run, states)
        return [dict(runs(run_feeds, continues=at > 0)) for at, run_feeds in enumerate(feeds)]

    def close(self) -> None:  # noqa: B027  (most backends hold no resources)
        """Release the backend's resources. Running it again is an error."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
