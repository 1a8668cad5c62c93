"""What a model remembers, and the outputs that it takes it from."""

from __future__ import annotations

from collections.abc import Sequence

from webbuild.manifest.manifest import Input, Output, StateInput


def state_inputs(inputs: Sequence[Input]) -> list[StateInput]:
    """Return the states among the inputs."""
    return [spec for spec in inputs if isinstance(spec, StateInput)]


def state_outputs(inputs: Sequence[Input]) -> list[Output]:
    """Return the outputs of a graph that the states among the inputs take in the next run."""
    return [Output(name=spec.output, dtype=spec.dtype, shape=spec.shape) for spec in state_inputs(inputs)]
