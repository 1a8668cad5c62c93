"""State inputs of a recurrent model."""

from __future__ import annotations

from collections.abc import Sequence

from webbuild.manifest.manifest import Input, StateInput


def state_inputs(inputs: Sequence[Input]) -> list[StateInput]:
    """Return the state inputs."""
    return [spec for spec in inputs if isinstance(spec, StateInput)]
