"""A model of the zoo on disk, its example, and native ONNX Runtime's answer."""

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
from webbuild.equivalence.compare_runs import Reference, RunInput, Tensors, WithWeights
from webbuild.equivalence.policy import Policy
from webbuild.manifest.tasks import TensorTask
from webbuild.model.traversal import rounded_outputs
from webbuild.passes.dtypes.retype import retype
from webbuild.runners.native import NativeRunner
from webbuild.samples.npz import load_npz

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
        """Return the sizes of the example for free dimensions, as `--dim` takes them."""
        graph = onnx.load(self.path, load_external_data=False).graph
        free = [
            f"{value.name}:{axis}"
            for value in graph.input
            for axis, dim in enumerate(value.type.tensor_type.shape.dim)
            if not dim.HasField("dim_value") and value.name in self.feeds
        ]
        return tuple(f"{key}={self.feeds[key.rpartition(':')[0]].shape[int(key.rpartition(':')[2])]}" for key in free)

    def reference(self) -> tuple[Reference, Policy]:
        """Return native ONNX Runtime's answer, and how others are compared with it.

        Of a model in float16 it is the answer in float32, which float16 is meant to be close to.

        Raises:
            WebbuildError: native ONNX Runtime does not run it.
        """
        model = ir.load(self.path)
        halves = retype(model, ir.DataType.FLOAT16, ir.DataType.FLOAT)
        native = NativeRunner(self.path, ir.to_proto(model).SerializeToString() if halves else None)
        changed = _in_half(native.changed_weights) if halves else native.changed_weights
        policy = Policy(REDUCED_PRECISION if halves else BROWSER, rounded=rounded_outputs(self.path))
        given = RunInput("the example", self.feeds)
        return Reference(lambda one: run_original(native, one.feeds), [given], TensorTask(), policy, changed), policy


def load_zoo(folder: Path, only: str) -> Iterator[ZooModel]:
    """Yield the models whose names match."""
    for path in sorted(folder.glob("*.onnx")):
        if re.search(only, path.stem):
            yield ZooModel(path, load_npz(path.with_suffix(".npz")))


def _in_half(changed_weights: WithWeights) -> WithWeights:
    """Return what changes the weights of a model in float32 as what they were: numbers of float16."""

    def changed(change: Callable[[Tensors], Tensors]) -> AbstractContextManager[None]:
        def widened(weights: Tensors) -> Tensors:
            halves = change({name: array.astype(np.float16) for name, array in weights.items()})
            return {name: array.astype(np.float32) for name, array in halves.items()}

        return changed_weights(widened)

    return changed
