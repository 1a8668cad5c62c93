"""A float16 backend for graphs with a batch of pictures: each run evaluates one picture."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from webbuild.precision.fp16_backends.base import Fp16Backend
from webbuild.runners.batch_runner import PictureBatch
from webbuild.runners.tensors import Tensors

if TYPE_CHECKING:
    import onnx_ir as ir

    from webbuild.manifest.manifest import StateInput


class BatchFp16(Fp16Backend):
    """Wraps a backend for graphs with a batch: the picture has another position in the batch in each run.

    Args:
        computes: the wrapped backend, which stays open.
        batch: the batched input and its size.
    """

    def __init__(self, computes: Fp16Backend, batch: PictureBatch) -> None:
        self.name, self.reason = computes.name, computes.reason
        self._computes, self._batch = computes, batch

    def as_fed(self, feeds: Sequence[Tensors]) -> list[Tensors]:
        """Return the batches that contain the pictures of the runs."""
        return [self._batch.feeds(each, run) for run, each in enumerate(feeds)]

    def run(
        self, model: ir.Model, feeds: Sequence[Tensors], states: Sequence[StateInput] = ()
    ) -> list[dict[str, NDArray[Any]]]:
        """Return the outputs for the picture of each run."""
        outputs = self._computes.run(model, self.as_fed(feeds), states)
        return [self._batch.outputs(each, run) for run, each in enumerate(outputs)]
