"""The states of a model among its inputs, as its graph takes them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from webbuild.manifest.manifest import Input, StateInput
from webbuild.model.load import model_signature
from webbuild.model.states import StatePair
from webbuild.tasks.base import TaskMatch
from webbuild.tasks.tensor import tensor_input_spec

if TYPE_CHECKING:
    import onnx_ir as ir


def with_state_inputs(match: TaskMatch, states: tuple[StatePair, ...], graph: ir.Model) -> TaskMatch:
    """Return what a model is, with the inputs that it remembers at the places that they have in its graph."""
    if not states:
        return match
    facts = {spec.name: spec for spec in model_signature("", graph).inputs}
    known: dict[str, Input] = {spec.name: spec for spec in match.inputs}
    for pair in states:
        spec = tensor_input_spec(facts[pair.input])
        known[pair.input] = StateInput(name=spec.name, dtype=spec.dtype, shape=spec.shape, output=pair.output)
    inputs = tuple(known[name] for name in facts if name in known)
    return msgspec.structs.replace(match, inputs=inputs)
