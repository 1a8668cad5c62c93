"""Models for measuring graph capture, each with several sets of inputs that give different outputs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from webbuild.manifest.manifest import Output
from webbuild.verify.bundle_reader import open_bundle
from webbuild.verify.golden_reader import read_golden
from webbuild.verify.merged_weights import materialize_graph

VARIANTS = 6
_CONV = Path(__file__).parents[1] / "web" / "test" / "fixture" / "model" / "conv.onnx"
_STEP = 11
"""Columns by which each variant shifts the picture."""
_FACTORS = (1, 0.5, 0.8, 1.5, 0.3, 1.2)
"""Factors for the thresholds of the variants."""

Feeds = dict[str, NDArray[Any]]


class CaptureModel(Struct, frozen=True):
    """A graph, its external weights, its outputs, and its inputs in `VARIANTS` variants."""

    name: str
    graph: Path
    weights: list[Path]
    outputs: list[Output]
    variants: list[Feeds]


def conv_model() -> CaptureModel:
    """Return a model of one Conv, x [1, 3, 16, 16] to y [1, 8, 14, 14]."""
    image = ((np.arange(3 * 16 * 16) * 37) % 101 / 100).astype(np.float32).reshape(1, 3, 16, 16)
    outputs = [Output(name="y", dtype="float32", shape=[1, 8, 14, 14])]
    return CaptureModel("one Conv", _CONV, [], outputs, [{"image": image * (k + 1)} for k in range(VARIANTS)])


@contextmanager
def bundle_models(directory: Path) -> Iterator[CaptureModel]:
    """Yield a bundle's WebGPU graph with its golden inputs, unchanged and varied.

    Raises:
        WebbuildError: from `open_bundle`, `golden` and `whole`.
        ValueError: the bundle has no WebGPU graph or no golden run.
    """
    bundle = open_bundle(directory)
    graph, run = bundle.graph("webgpu"), read_golden(bundle)
    if graph is None or run is None:
        raise ValueError(f"{directory} has no WebGPU graph, or no golden run")
    feeds, _ = run
    with materialize_graph(bundle, graph) as path:
        weights = [path.parent / Path(each).name for each in graph.weights]
        variants = [{name: vary(array, k) for name, array in feeds.items()} for k in range(VARIANTS)]
        yield CaptureModel(bundle.manifest.name, path, weights, graph.outputs, variants)


def vary(array: NDArray[Any], variant: int) -> NDArray[Any]:
    """Return a variant's input: pictures rolled, thresholds multiplied, other inputs and variant 0 unchanged."""
    if array.ndim >= 4:
        return np.roll(array, _STEP * variant, axis=-1)
    return array * array.dtype.type(_FACTORS[variant]) if array.dtype == np.float32 and array.size == 1 else array
