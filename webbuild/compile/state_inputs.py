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

_SHOWN = 6
"""Pairs that are listed by name."""


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
    return msgspec.structs.replace(match, inputs=inputs, assumptions=(*match.assumptions, describe_states(states)))


def describe_states(states: tuple[StatePair, ...]) -> str:
    """Return the sentence that says what is remembered, and what says so.

    state: r1i <- r1o, r2i <- r2o (by name), zeros at first
    """
    told = []
    for reason in dict.fromkeys(pair.reason for pair in states):
        pairs = [f"{pair.input} <- {pair.output}" for pair in states if pair.reason == reason]
        more = f" and {len(pairs) - _SHOWN} more" if len(pairs) > _SHOWN else ""
        told.append(f"{', '.join(pairs[:_SHOWN])}{more} ({'by ' * (reason[0] != '-')}{reason})")
    return f"state: {'; '.join(told)}, zeros at first"
