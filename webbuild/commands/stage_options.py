"""Options that name inputs or dimensions, such as --dim: passed to the stage that has the name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

import msgspec

from webbuild.compile.stages.planned_stage import PlannedStage
from webbuild.model.set_inputs import set_inputs
from webbuild.model.signature import ModelSignature

_Value = TypeVar("_Value")


def with_set_inputs(stages: Sequence[PlannedStage], values: Mapping[str, str]) -> list[PlannedStage]:
    """Return the stages with the inputs of `--set` as constants, so that no output is connected to them.

    Raises:
        WebbuildError: what `set_inputs` raises.
    """
    signatures = [each.source.signature for each in stages]
    return [
        msgspec.structs.replace(each, source=set_inputs(each.source, own_options(values, signatures, at, input_names)))
        for at, each in enumerate(stages)
    ]


def own_options(
    values: Mapping[str, _Value],
    signatures: Sequence[ModelSignature],
    at: int,
    names: Callable[[ModelSignature], set[str]],
) -> dict[str, _Value]:
    """Return the options of stage `at`: those with its names. The first stage also gets names that no stage has."""
    others = set[str]().union(*(names(each) for each in signatures))
    own = names(signatures[at])
    return {name: value for name, value in values.items() if name in own or (at == 0 and name not in others)}


def free_dims(signature: ModelSignature) -> set[str]:
    """Return the names of a model's free dimensions, "input:axis" too."""
    free = [(spec.name, axis, dim) for spec in signature.inputs for axis, dim in enumerate(spec.shape)]
    names = {dim for _, _, dim in free if isinstance(dim, str)}
    return names | {f"{name}:{axis}" for name, axis, dim in free if not isinstance(dim, int)}


def input_names(signature: ModelSignature) -> set[str]:
    """Return the names of a model's inputs."""
    return {spec.name for spec in signature.inputs}
