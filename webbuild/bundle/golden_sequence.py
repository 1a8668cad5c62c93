"""The golden sequence of a model with states: outputs of repeated runs that show whether each state is carried over."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from webbuild.bundle.golden import Arrays, GoldenRun
from webbuild.bundle.golden_tolerance import relative_change
from webbuild.manifest.manifest import Graph, Input
from webbuild.manifest.states import state_inputs
from webbuild.runners.native import NativeRunner
from webbuild.runners.stateful import StatefulRuns

STEPS = 3
"""Runs: the third one reads a state that depends on a state, and reuses a set of buffers in the runtime."""

_DETECTABLE_CHANGE = 2.5
"""Change of an output that the self-test surely detects, as a multiple of its tolerance."""
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
        changed = _changed_outputs(answers, without(feeds, continues=True), _DETECTABLE_CHANGE * recorded.tolerance)
        smallest = min(changed, key=lambda name: answers[name].nbytes, default=None)
        if smallest is not None and not changed & chosen.keys():
            chosen[smallest] = answers[smallest]
    runner.close()
    while sum(array.nbytes for array in chosen.values()) > _MAX_BYTES:
        del chosen[max(chosen, key=lambda name: chosen[name].nbytes)]
    return msgspec.structs.replace(recorded, sequence=chosen)


def _changed_outputs(answers: Arrays, others: Arrays, least: float) -> set[str]:
    """Return the outputs whose relative difference is at least this large."""
    return {name for name, array in answers.items() if relative_change(array, others[name]) >= least}
