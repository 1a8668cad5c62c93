"""Float16 emulated: native ONNX Runtime computes in float32, and every float16 value is rounded to float16.

`BoundedFp16` adds errors of the sizes that a GPU's kernels make inside an operator.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from webbuild.errors import WebbuildError
from webbuild.precision.fp16_backends.base import Fp16Backend, Tensors

if TYPE_CHECKING:
    import onnx_ir as ir

    from webbuild.manifest.manifest import StateInput


class EmulatedFp16(Fp16Backend):
    """Float16 on any CPU. See `build_emulation_graph`.

    Args:
        reason: why nothing better computes.
    """

    name = "emulated"

    def __init__(self, reason: str = "it was asked for") -> None:
        self.reason = reason

    def run(
        self, model: ir.Model, feeds: Sequence[Tensors], states: Sequence[StateInput] = ()
    ) -> list[dict[str, NDArray[Any]]]:
        """Return the outputs for each input. See `Fp16Backend`.

        Raises:
            WebbuildError: `fp16-backend-failed`, `unknown-dtype`.
        """
        import onnx_ir as ir

        from webbuild.runners.native import NativeRunner

        halves = {value.name for value in model.graph.outputs if value.dtype == ir.DataType.FLOAT16}
        try:
            runner = NativeRunner(Path("half.onnx"), ir.to_proto(self._graph(model)).SerializeToString())
            found = self._in_turn(
                lambda given: runner.run(self._inputs({name: _to_float32(value) for name, value in given.items()})),
                feeds,
                states,
            )
        except WebbuildError as error:
            if error.code == "unknown-dtype":
                raise
            raise WebbuildError("fp16-backend-failed", f"float16, {self.name}: {error.message}", error.fix) from error
        runner.close()
        return [
            {name: _to_float16(value) if name in halves else value for name, value in each.items()} for each in found
        ]

    def _graph(self, model: ir.Model) -> ir.Model:
        """Return what native ONNX Runtime computes."""
        from webbuild.precision.fp16_backends.emulation_graph import build_emulation_graph

        return build_emulation_graph(model)

    def _inputs(self, feeds: Tensors) -> Tensors:
        """Return its inputs."""
        return feeds


class BoundedFp16(EmulatedFp16):
    """Float16 about as inexact as kernels may be: what is right here is likely right on a GPU. See `kernel_errors`.

    The errors are the same for the same inputs, and others for others.
    """

    def _graph(self, model: ir.Model) -> ir.Model:
        from webbuild.precision.fp16_backends.emulation_graph import build_emulation_graph

        return build_emulation_graph(model, kernel_errors=True)

    def _inputs(self, feeds: Tensors) -> Tensors:
        from webbuild.precision.fp16_backends.error_draws import draw_input

        return {**feeds, **draw_input(feeds)}


def _to_float32(value: NDArray[Any]) -> NDArray[Any]:
    return value.astype(np.float32) if value.dtype == np.float16 else value


def _to_float16(value: NDArray[Any]) -> NDArray[np.float16]:
    with np.errstate(over="ignore"):
        return value.astype(np.float16)
