"""Float16 on a GPU: any engine that runs models, as an arithmetic."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from numpy.typing import NDArray

from webbuild.bisect.engine import Engine
from webbuild.errors import WebbuildError
from webbuild.precision.arithmetic.protocol import Tensors

if TYPE_CHECKING:
    import onnx_ir as ir


class Engined:
    """An engine that has float16.

    Args:
        name: what computes, for people.
        why: why nothing better computes.
        engine: runs the models.
        close: lets go of it.
    """

    def __init__(self, name: str, why: str, engine: Engine, close: Callable[[], None]) -> None:
        self.name, self.why = name, why
        self.engine = engine
        self._close = close

    def run(self, model: ir.Model, feeds: Sequence[Tensors]) -> list[dict[str, NDArray[Any]]]:
        """Return the outputs for each input. See `Arithmetic`.

        Raises:
            WebbuildError: `arithmetic-failed`, and what the engine raises.
        """
        import onnx_ir as ir

        data = ir.to_proto(model).SerializeToString()
        return [self._one(data, given) for given in feeds]

    def _one(self, data: bytes, given: Tensors) -> dict[str, NDArray[Any]]:
        found: dict[str, NDArray[Any]] = {}
        ended = self.engine.attempt(data, given, found.__setitem__)
        if ended.ending != "ran":
            raise WebbuildError(
                "arithmetic-failed",
                f"float16, {self.name}: {ended.ending}: {ended.message}",
                "keep the operator that it names in float32",
            )
        return found

    def close(self) -> None:
        """Let go of the engine."""
        self._close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
