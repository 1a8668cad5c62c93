"""The tolerance of a golden run: wider if the model quantizes values in the graph, where rounding decides.

Such a model differs from itself if sums are computed in another order: an activation next to the middle of two
quantization levels becomes the other level. GPUs have other orders of sums, so the self-test allows as much as the
model differs under a 1e-6 perturbation, as the proof does (`equivalence/noise_floor.py`).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import partial
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from webbuild.bundle.golden import GoldenRun
from webbuild.compare.perturbation import perturb
from webbuild.equivalence.exact_inputs import exact_inputs
from webbuild.equivalence.noise_floor import NOISE_FACTOR
from webbuild.errors import WebbuildError
from webbuild.manifest.manifest import Graph, Input
from webbuild.runners.native import NativeRunner

MAX_TOLERANCE = 0.1
"""Limit of the tolerance: outputs that have nothing in common differ by about 1."""
_RUNS = 3
_QUANTIZING = ("DynamicQuantize", "QLinear", "Quantize")
"""Beginnings of the names of operators that round to integer levels."""


def with_tolerance(
    recorded: GoldenRun, operators: Collection[str], inputs: Sequence[Input], graphs: Sequence[Graph], folder: Path
) -> GoldenRun:
    """Return the run with the tolerance that the noise of its outputs needs, at most `MAX_TOLERANCE`.

    The run is returned unchanged for a model without quantized activations, and if the noise is within its tolerance.

    Args:
        recorded: the run.
        operators: the types of operators in the model.
        inputs: the inputs of the model; a click's label or a threshold is not perturbed.
        graphs: the graphs of the bundle.
        folder: the folder of the graphs.
    """
    graph = next((each for each in graphs if each.target == "wasm"), None)
    if graph is None or not any(name.startswith(_QUANTIZING) for name in operators):
        return recorded
    exact, feeds = exact_inputs(inputs), recorded.sample.feeds
    free = {name: array for name, array in feeds.items() if name not in exact}
    runner = NativeRunner(folder / graph.file)
    noise = 0.0
    for seed in range(_RUNS):
        try:
            with runner.perturbed(partial(perturb, seed=seed)):
                answers = runner.run({**feeds, **perturb(free, seed)})
        except WebbuildError as error:
            if error.code != "reference-run-failed":
                raise
            continue  # a size that is computed from quantized values became another one
        changes = (relative_change(array, answers[name]) for name, array in recorded.outputs.items())
        noise = max(noise, *changes)
    runner.close()
    return msgspec.structs.replace(
        recorded, tolerance=min(max(recorded.tolerance, NOISE_FACTOR * noise), MAX_TOLERANCE)
    )


def relative_change(one: NDArray[np.generic], other: NDArray[np.generic]) -> float:
    """Return the relative difference of two outputs, as the self-test measures it."""
    if one.dtype != np.float32:
        return float((one != other).mean()) if one.size else 0.0
    want, got = one.astype(np.float64), other.astype(np.float64)
    size = float(np.square(want).sum())
    return float(np.sqrt(np.square(got - want).sum() / size)) if np.isfinite(want).all() and size else 0.0
