"""States: inputs that take in each run what an output was in the run before."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import msgspec
from msgspec import Struct

from webbuild.model.signature import ModelSignature, TensorSpec
from webbuild.model.state_names import is_next


class StatePair(Struct, frozen=True):
    """An input, the output whose value it takes in the next run, and what says so."""

    input: str
    output: str
    reason: Literal["name", "shape", "--state"]


def find_states(signature: ModelSignature) -> tuple[StatePair, ...]:
    """Return the states of a model, by the names of its inputs and outputs: of one type, and of shapes that fit.

    An input and a result must be left: `image_in` and `image_out` of a filter are no state.
    """
    found: dict[str, StatePair] = {}
    for given in signature.inputs:
        likely = [(is_next(given.name, made.name), made) for made in signature.outputs if may_become(made, given)]
        best = max((sure for sure, _ in likely), default=0)
        named = [made for sure, made in likely if sure == best > 0]
        if len(named) == 1:
            found[given.name] = StatePair(given.name, named[0].name, "name")
    pairs = tuple(found.values())
    taken = [pair.output for pair in pairs]
    if len(pairs) == len(signature.inputs) or len(set(taken)) == len(signature.outputs):
        return ()
    return tuple(pair for pair in pairs if taken.count(pair.output) == 1)


def may_become(made: TensorSpec, given: TensorSpec) -> bool:
    """Whether an output may be the next run's input: type and rank are the same, and no size is another."""
    sizes = zip(made.shape, given.shape, strict=False)
    fits = all(a == b or a is None or b is None or isinstance(a, int) != isinstance(b, int) for a, b in sizes)
    return made.dtype == given.dtype and len(made.shape) == len(given.shape) and fits


def without_states(signature: ModelSignature, states: tuple[StatePair, ...]) -> ModelSignature:
    """Return what tasks see of a model: inputs and outputs that are no states, and an output where all are."""
    remembered, kept = {pair.input for pair in states}, set(hidden_outputs(signature, states))
    return msgspec.structs.replace(
        signature,
        inputs=tuple(each for each in signature.inputs if each.name not in remembered),
        outputs=tuple(each for each in signature.outputs if each.name not in kept),
    )


def hidden_outputs(signature: ModelSignature, states: tuple[StatePair, ...]) -> Iterator[str]:
    """Yield the outputs that are states and no results: none where all outputs are states."""
    made = {pair.output for pair in states}
    if any(each.name not in made for each in signature.outputs):
        yield from made
