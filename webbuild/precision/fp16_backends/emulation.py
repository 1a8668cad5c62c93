"""Emulated float16: native ONNX Runtime computes in float32, adds errors like a GPU kernel's, and rounds to float16."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from webbuild.errors import WebbuildError
from webbuild.precision.fp16_backends.base import Fp16Backend
from webbuild.runners.tensors import Tensors

if TYPE_CHECKING:
    import onnx_ir as ir

    from webbuild.manifest.manifest import StateInput
    from webbuild.runners.native import NativeRunner


class EmulatedFp16(Fp16Backend):
    """Float16 on any CPU, about as inexact as GPU kernels: a graph that is right here is likely right on a GPU.

    The errors depend deterministically on the inputs. See `build_emulation_graph`.

    Args:
        reason: why this backend was chosen.
    """

    name = "emulated"
    kernel_errors = True
    """Whether an operator has more error than the rounding of its result, as on a GPU."""

    def __init__(self, reason: str = "requested") -> None:
        self.reason = reason
        self._model: ir.Model | None = None
        self._runner: NativeRunner | None = None
        self._is_random = False

    def run(
        self, model: ir.Model, feeds: Sequence[Tensors], states: Sequence[StateInput] = ()
    ) -> list[dict[str, NDArray[Any]]]:
        """Return the outputs for each feed. See `Fp16Backend`.

        Raises:
            WebbuildError: `fp16-backend-failed`, `unknown-dtype`.
        """
        import onnx_ir as ir

        halves = {value.name for value in model.graph.outputs if value.dtype == ir.DataType.FLOAT16}
        try:
            runner = self._open(model)
            outputs = self._in_turn(
                lambda run_feeds: runner.run(
                    self._inputs({name: _to_float32(value) for name, value in run_feeds.items()})
                ),
                feeds,
                states,
            )
        except WebbuildError as error:
            if error.code == "unknown-dtype":
                raise
            raise WebbuildError("fp16-backend-failed", f"float16, {self.name}: {error.message}", error.fix) from error
        if self._is_random:
            runner.close()
        return [
            {name: _to_float16(value) if name in halves else value for name, value in each.items()} for each in outputs
        ]

    def close(self) -> None:
        """Close the session of the last graph."""
        if self._runner is not None:
            self._runner.close()
        self._model, self._runner = None, None

    def _open(self, model: ir.Model) -> NativeRunner:
        """Return a runner of a model; the last model reuses its runner, because a search runs it several times.

        The session is kept too, except for models with random operators: their random numbers would continue.
        """
        import onnx_ir as ir

        from webbuild.model.random_operators import RANDOM_OPS
        from webbuild.precision.fp16_backends.emulation_graph import build_emulation_graph
        from webbuild.runners.native import NativeRunner

        if self._runner is None or self._model is not model:
            self.close()
            graph = build_emulation_graph(model, kernel_errors=self.kernel_errors)
            self._is_random = any(node.op_type in {*RANDOM_OPS, "Dropout"} for node in graph.graph.all_nodes())
            self._runner = NativeRunner(Path("half.onnx"), ir.to_proto(graph).SerializeToString())
            self._model = model
        return self._runner

    def _inputs(self, feeds: Tensors) -> Tensors:
        """Return the inputs of the emulation graph."""
        from webbuild.precision.fp16_backends.error_draws import draw_input

        return {**feeds, **draw_input(feeds)} if self.kernel_errors else feeds


def _to_float32(value: NDArray[Any]) -> NDArray[Any]:
    return value.astype(np.float32) if value.dtype == np.float16 else value


def _to_float16(value: NDArray[Any]) -> NDArray[np.float16]:
    with np.errstate(over="ignore"):
        return value.astype(np.float16)
