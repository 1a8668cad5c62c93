"""Runs in sequence: each run gets the states of the run before."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from numpy.typing import NDArray

from webbuild.manifest.manifest import StateInput
from webbuild.runners.tensors import Tensors


class StatefulRuns:
    """Gives each run of a sequence the states of the run before.

    Args:
        run: computes the outputs of one run.
        states: the model's states; without states the runs are independent.
    """

    def __init__(self, run: Callable[[Tensors], Tensors], states: Sequence[StateInput]) -> None:
        self._run, self._states = run, states
        self._values: dict[str, NDArray[Any]] = {}

    def __call__(self, feeds: Tensors, *, continues: bool) -> Tensors:
        """Return the outputs of a run that continues a sequence, or begins one with the states among its feeds."""
        outputs = self._run({**feeds, **(self._values if continues else {})})
        self._values = {spec.name: outputs[spec.output] for spec in self._states if spec.output in outputs}
        return outputs

    @property
    def states(self) -> Tensors:
        """The states after the last run, by the names of their inputs."""
        return self._values

    def forget(self, name: str) -> None:
        """Set a state to zeros; the other states stay."""
        self._values = {**self._values, name: self._values[name] * 0}

    def take(self, name: str, other: StatefulRuns) -> None:
        """Take a state from other runs; the other states stay."""
        self._values = {**self._values, name: other._values[name]}
