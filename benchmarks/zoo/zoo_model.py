"""A model of the zoo on disk, its example, and native ONNX Runtime's outputs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnx_ir as ir
from msgspec import Struct
from numpy.typing import NDArray

from webbuild.compare.tolerances import BROWSER, REDUCED_PRECISION
from webbuild.equivalence.check import run_original
from webbuild.equivalence.compare_runs import Perturbed, Reference, RunInput
from webbuild.equivalence.policy import Policy
from webbuild.errors import WebbuildError
from webbuild.manifest.manifest import Task
from webbuild.manifest.tasks.tensor import TensorTask
from webbuild.model.load import load_onnx
from webbuild.model.traversal import rounded_outputs
from webbuild.passes.dtypes.retype import retype
from webbuild.runners.native import NativeRunner
from webbuild.runners.tensors import Tensors
from webbuild.samples.npz import load_npz
from webbuild.tasks.kind.row_kind import RowKind
from webbuild.tasks.registry import kind_of, match_task

ZOO = Path(__file__).parents[2] / "build" / "zoo"


class ZooModel(Struct, frozen=True):
    """A model's file and one example of every input."""

    path: Path
    feeds: dict[str, NDArray[Any]]

    @property
    def name(self) -> str:
        """Its recipe's name."""
        return self.path.stem

    def dims(self) -> tuple[str, ...]:
        """Return the example's sizes of dynamic dimensions in the form of `--dim`."""
        graph = onnx.load(self.path, load_external_data=False).graph
        free = [
            f"{value.name}:{axis}"
            for value in graph.input
            for axis, dim in enumerate(value.type.tensor_type.shape.dim)
            if not dim.HasField("dim_value") and value.name in self.feeds
        ]
        return tuple(f"{key}={self.feeds[key.rpartition(':')[0]].shape[int(key.rpartition(':')[2])]}" for key in free)

    def reference(self) -> tuple[Reference, Policy]:
        """Return native ONNX Runtime's outputs, and the policy to compare others with them.

        For a model in float16 the reference runs in float32. Rows of detections are compared as in a bundle, by class
        and overlap, because rows with nearly equal scores may change their order.

        Raises:
            WebbuildError: native ONNX Runtime does not run it.
        """
        model = ir.load(self.path)
        halves = retype(model, ir.DataType.FLOAT16, ir.DataType.FLOAT)
        native = NativeRunner(self.path, ir.to_proto(model).SerializeToString() if halves else None)
        changed = _in_half(native.perturbed) if halves else native.perturbed
        tolerance = REDUCED_PRECISION if halves else BROWSER
        policy = Policy(tolerance, rounded=rounded_outputs(self.path), predictions="none")
        given = RunInput("the example", self.feeds)
        task = self._row_task() or TensorTask()
        return Reference(lambda one: run_original(native, one.feeds), [given], task, policy, changed), policy

    def _row_task(self) -> Task | None:
        """Return the task of a model that outputs rows of detections, None for other models."""
        try:
            found = match_task(load_onnx(self.path).signature, complete=True).task
        except WebbuildError:  # a float16 input, which no task accepts
            return None
        return found if isinstance(kind_of(found), RowKind) else None


def load_zoo(folder: Path, only: str) -> Iterator[ZooModel]:
    """Yield the models whose names match."""
    for path in sorted(folder.glob("*.onnx")):
        if re.search(only, path.stem):
            yield ZooModel(path, load_npz(path.with_suffix(".npz")))


def _in_half(perturbed: Perturbed) -> Perturbed:
    """Return a perturbation for a float32 copy of a float16 model: weights are changed as float16, then widened."""

    def changed(change: Callable[[Tensors], Tensors]) -> AbstractContextManager[None]:
        def widened(weights: Tensors) -> Tensors:
            halves = change({name: array.astype(np.float16) for name, array in weights.items()})
            return {name: array.astype(np.float32) for name, array in halves.items()}

        return perturbed(widened)

    return changed
