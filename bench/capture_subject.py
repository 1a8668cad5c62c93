"""What graph capture is measured on: a model, and inputs for it of which each set asks for another answer."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from webbuild.manifest import Output
from webbuild.verify.joined import whole
from webbuild.verify.opened import golden, open_bundle

VARIANTS = 6
_CONV = Path(__file__).parents[1] / "web" / "test" / "fixture" / "model" / "conv.onnx"
_STEP = 11
"""By how many columns the picture of one variant lies beside that of the one before."""
_FACTORS = (1, 0.5, 0.8, 1.5, 0.3, 1.2)
"""What the variants' thresholds are multiplied by."""

Feeds = dict[str, NDArray[Any]]


class Subject(Struct, frozen=True):
    """A graph, the weights beside it, what it returns, and its inputs `VARIANTS` times."""

    name: str
    graph: Path
    weights: list[Path]
    outputs: list[Output]
    variants: list[Feeds]


def one_convolution() -> Subject:
    """Return the smallest model there is, x [1, 3, 16, 16] to y [1, 8, 14, 14]."""
    image = ((np.arange(3 * 16 * 16) * 37) % 101 / 100).astype(np.float32).reshape(1, 3, 16, 16)
    outputs = [Output(name="y", dtype="float32", shape=[1, 8, 14, 14])]
    return Subject("one Conv", _CONV, [], outputs, [{"image": image * (k + 1)} for k in range(VARIANTS)])


@contextmanager
def of_bundle(directory: Path) -> Iterator[Subject]:
    """Give a bundle's WebGPU graph with its golden inputs, as they are and varied.

    Raises:
        WebbuildError: what `open_bundle`, `golden` and `whole` raise.
        ValueError: there is no such graph, or no golden run.
    """
    bundle = open_bundle(directory)
    graph, run = bundle.graph("webgpu"), golden(bundle)
    if graph is None or run is None:
        raise ValueError(f"{directory} has no WebGPU graph, or no golden run")
    feeds, _ = run
    with whole(bundle, graph) as path:
        weights = [path.parent / Path(each).name for each in graph.weights]
        variants = [{name: varied(array, k) for name, array in feeds.items()} for k in range(VARIANTS)]
        yield Subject(bundle.manifest.name, path, weights, graph.outputs, variants)


def varied(array: NDArray[Any], variant: int) -> NDArray[Any]:
    """Return the input of a variant: pictures moved round, thresholds multiplied, all else and variant 0 as it is."""
    if array.ndim >= 4:
        return np.roll(array, _STEP * variant, axis=-1)
    return array * array.dtype.type(_FACTORS[variant]) if array.dtype == np.float32 and array.size == 1 else array
