"""A float16 backend for graphs that take several pictures: each run is for one of them."""

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
    """Another backend, whose graphs take a batch: a picture takes another place in it in each run.

    Args:
        computes: the other backend, which stays open.
        batch: how many pictures a graph takes.
    """

    def __init__(self, computes: Fp16Backend, batch: PictureBatch) -> None:
        self.name, self.reason = computes.name, computes.reason
        self._computes, self._batch = computes, batch

    def as_fed(self, feeds: Sequence[Tensors]) -> list[Tensors]:
        """Return the batches that the pictures of the runs are in."""
        return [self._batch.feeds(each, run) for run, each in enumerate(feeds)]

    def run(
        self, model: ir.Model, feeds: Sequence[Tensors], states: Sequence[StateInput] = ()
    ) -> list[dict[str, NDArray[Any]]]:
        """Return what belongs to the one picture of each run."""
        outputs = self._computes.run(model, self.as_fed(feeds), states)
        return [self._batch.outputs(each, run) for run, each in enumerate(outputs)]
