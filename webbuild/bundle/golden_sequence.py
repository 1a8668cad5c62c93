"""The golden sequence of a model with states: outputs of repeated runs that show whether each state is carried over."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from webbuild.bundle.golden import Arrays, GoldenRun
from webbuild.manifest.manifest import Graph, Input
from webbuild.manifest.states import state_inputs
from webbuild.runners.native import NativeRunner
from webbuild.runners.stateful import StatefulRuns

STEPS = 3
"""Runs: the third one reads a state that depends on a state, and reuses a set of buffers in the runtime."""

_DETECTABLE_CHANGE = 0.05
"""Relative change of an output that the self-test detects: above the 2 % that it allows (`golden-compare.ts`)."""
_MAX_BYTES = 1 << 20
"""Limit of all outputs together: every visitor downloads them."""


def with_sequence(recorded: GoldenRun, inputs: Sequence[Input], graphs: Sequence[Graph], folder: Path) -> GoldenRun:
    """Return the run with outputs of the last of `STEPS` consecutive runs, as few and small as cover every state.

    The run is returned unchanged for a model without states, or if no output depends on a state in so few runs.

    Args:
        recorded: the run that begins the sequence.
        inputs: the inputs of the model.
        graphs: the graphs of the bundle.
        folder: the folder of the graphs.
    """
    states = state_inputs(inputs)
    graph = next((each for each in graphs if each.target == "wasm"), None)
    if not states or graph is None:
        return recorded
    runner = NativeRunner(folder / graph.file)
    runs, feeds = StatefulRuns(runner.run, states), recorded.sample.feeds
    for step in range(STEPS - 1):
        runs(feeds, continues=step > 0)
    before = copy(runs)
    answers = runs(feeds, continues=True)
    chosen: dict[str, NDArray[np.generic]] = {}
    for spec in states:
        without = copy(before)
        without.forget(spec.name)
        changed = _changed_outputs(answers, without(feeds, continues=True))
        smallest = min(changed, key=lambda name: answers[name].nbytes, default=None)
        if smallest is not None and not changed & chosen.keys():
            chosen[smallest] = answers[smallest]
    runner.close()
    while sum(array.nbytes for array in chosen.values()) > _MAX_BYTES:
        del chosen[max(chosen, key=lambda name: chosen[name].nbytes)]
    return msgspec.structs.replace(recorded, sequence=chosen)


def _changed_outputs(answers: Arrays, others: Arrays) -> set[str]:
    """Return the outputs that differ by much more than rounding."""
    return {name for name, array in answers.items() if _change(array, others[name]) >= _DETECTABLE_CHANGE}


def _change(one: NDArray[np.generic], other: NDArray[np.generic]) -> float:
    """Return the relative difference of two outputs, as the self-test measures it."""
    if one.dtype != np.float32:
        return float((one != other).mean()) if one.size else 0.0
    want, got = one.astype(np.float64), other.astype(np.float64)
    size = float(np.square(want).sum())
    return float(np.sqrt(np.square(got - want).sum() / size)) if np.isfinite(want).all() and size else 0.0
