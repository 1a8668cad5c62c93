"""Float16 on a GPU: any engine that runs models, as an arithmetic."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from numpy.typing import NDArray

from webbuild.errors import WebbuildError
from webbuild.precision.fp16_backends.protocol import Tensors
from webbuild.runners.session import SessionRunner

if TYPE_CHECKING:
    import onnx_ir as ir


class SessionFp16:
    """An engine that has float16.

    Args:
        name: what computes, for people.
        reason: why nothing better computes.
        engine: runs the models.
        close: lets go of it.
    """

    def __init__(self, name: str, reason: str, engine: SessionRunner, close: Callable[[], None]) -> None:
        self.name, self.reason = name, reason
        self.engine = engine
        self._close = close

    def run(self, model: ir.Model, feeds: Sequence[Tensors]) -> list[dict[str, NDArray[Any]]]:
        """Return the outputs for each input. See `Fp16Backend`.

        Raises:
            WebbuildError: `fp16-backend-failed`, and what the engine raises.
        """
        import onnx_ir as ir

        data = ir.to_proto(model).SerializeToString()
        return [self._run_one(data, given) for given in feeds]

    def _run_one(self, data: bytes, given: Tensors) -> dict[str, NDArray[Any]]:
        found: dict[str, NDArray[Any]] = {}
        ended = self.engine.run_model(data, given, found.__setitem__)
        if ended.status != "ran":
            raise WebbuildError(
                "fp16-backend-failed",
                f"float16, {self.name}: {ended.status}: {ended.message}",
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
