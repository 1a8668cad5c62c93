"""The models for predictions and measurements.

ONNX's tests of single operators, our own models as exported and as packed, and exports of other models.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import onnx_ir as ir
from msgspec import Struct
from numpy.typing import NDArray

from benchmarks.node_tests import tests
from tests.exports import NAMES, write
from webbuild.compile.compile_model import compile_model
from webbuild.compile.load_model import load_model
from webbuild.model.load import OnnxModel, load_onnx
from webbuild.model.read_signature import read_signature
from webbuild.passes.workarounds.cpu_fallback import cpu_node_names
from webbuild.reporting.progress import ProgressReporter
from webbuild.targets.target import Target
from webbuild.tasks.options.symbolic_dims import resolve_dims
from webbuild.tasks.options.user_overrides import parse_overrides

ROOT = Path(__file__).parents[2]

_SIZES = {"height": 64, "width": 64, "batch": 1}
"""Sizes for the exports with dynamic dimensions."""


class PredictedModel(Struct, frozen=True):
    """A model, its feeds (None for synthetic values), and its source."""

    name: str
    kind: str
    path: Path
    feeds: dict[str, NDArray[Any]] | None = None

    def dims_of(self, model: ir.Model) -> dict[str, int]:
        """Return the sizes of its dynamic dimensions."""
        if self.feeds is None:
            known = read_signature(self.path.name, model)
            free = {size for fact in known.inputs for size in fact.shape} & set(_SIZES)
            return resolve_dims(known, {name: _SIZES[name] for name in free if isinstance(name, str)}).dims
        return {f"{name}:{axis}": size for name, each in self.feeds.items() for axis, size in enumerate(each.shape)}


def all_models(data: Path | None, folder: Path, target: Target) -> Iterator[PredictedModel]:
    """Yield every model, with ONNX's tests if `data` is their folder.

    Exports with restored weights and graphs packed for the target are written to `folder`.
    """
    for path in sorted((ROOT / "models").rglob("*.onnx")):
        yield PredictedModel(path.stem, "model", path)
        yield PredictedModel(f"{path.stem} (packed)", "packed", _packed(path, target, folder))
    for name in NAMES:
        (own := folder / name).mkdir(parents=True)
        yield PredictedModel(name, "export", write(name, own))
    for test in tests(data, "") if data is not None else ():
        if not isinstance(test, tuple):
            yield PredictedModel(test.name, "test", test.path, test.feeds)


def _packed(path: Path, target: Target, folder: Path) -> Path:
    """Write a model's packed graph for the native build, and return the file.

    Raises:
        ValueError: nodes of it must stay on the CPU, which a graph alone cannot express.
    """
    talk = ProgressReporter(quiet=True)
    ready = compile_model(
        load_model(path, {}, talk), target, task=None, nms="gpu", overrides=parse_overrides({}), progress=talk
    )
    graph = ready.lowered.graphs["webgpu"]
    if named := cpu_node_names(graph):
        raise ValueError(f"{path.name}: {', '.join(named)} would have to be left to the CPU")
    ir.save(graph, folder / f"packed-{path.name}")
    return folder / f"packed-{path.name}"


def load_predicted(subject: PredictedModel) -> OnnxModel:
    """Load a model. Raises WebbuildError if `webbuild` refuses it."""
    return load_onnx(subject.path)
