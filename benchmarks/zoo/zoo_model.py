"""A model of the zoo on disk, its example, and native ONNX Runtime's answer."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import onnx
from msgspec import Struct
from numpy.typing import NDArray

from webbuild.compare.tolerances import BROWSER, REDUCED_PRECISION
from webbuild.equivalence.check import run_original
from webbuild.equivalence.compare_runs import Reference, RunInput
from webbuild.equivalence.policy import Policy
from webbuild.manifest.tasks import TensorTask
from webbuild.model.traversal import iter_nodes, rounded_outputs
from webbuild.runners.native import NativeRunner
from webbuild.samples.npz import load_npz

ZOO = Path(__file__).parents[2] / "build" / "zoo"
_HALF = onnx.TensorProto.FLOAT16


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

        Raises:
            WebbuildError: native ONNX Runtime does not run it.
        """
        native = NativeRunner(self.path)
        tolerance = REDUCED_PRECISION if _computes_in_half(self.path) else BROWSER
        policy = Policy(tolerance, rounded=rounded_outputs(self.path))
        given = RunInput("the example", self.feeds)
        return Reference(
            lambda one: run_original(native, one.feeds), [given], TensorTask(), policy, native.changed_weights
        ), policy


def load_zoo(folder: Path, only: str) -> Iterator[ZooModel]:
    """Yield the models whose names match."""
    for path in sorted(folder.glob("*.onnx")):
        if re.search(only, path.stem):
            yield ZooModel(path, load_npz(path.with_suffix(".npz")))


def _computes_in_half(path: Path) -> bool:
    model = onnx.load(path, load_external_data=False)
    casts = (a.i for node in iter_nodes(model) if node.op_type == "Cast" for a in node.attribute)
    return _HALF in {tensor.data_type for tensor in model.graph.initializer} or _HALF in casts
