"""Options that name inputs or sizes of a model: which stage each is for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

import msgspec

from webbuild.compile.stages.planned_stage import PlannedStage
from webbuild.model.set_inputs import set_inputs
from webbuild.model.signature import ModelSignature

_Value = TypeVar("_Value")


def with_set_inputs(stages: Sequence[PlannedStage], values: Mapping[str, str]) -> list[PlannedStage]:
    """Return the stages with the inputs of `--set` as constants: none is left that an output could be joined to.

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
    """Return what is given for a stage: what it has a name for, and of the first what no stage has one for."""
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
