"""States: inputs that take in each run what an output was in the run before."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal

import msgspec
from msgspec import Struct

from webbuild.errors import USAGE, WebbuildError
from webbuild.model.signature import Dim, ModelSignature, TensorSpec
from webbuild.model.state_names import is_next, names_memory


class StatePair(Struct, frozen=True):
    """An input, the output whose value it takes in the next run, and how that is known."""

    input: str
    output: str
    reason: Literal["name", "shape", "--state"]


def find_states(signature: ModelSignature, given: Mapping[str, str] | None = None) -> tuple[StatePair, ...]:
    """Return the states of a model: those `given`, output by input; then by names; then by shape.

    By name:  of one type and of shapes that fit; the names say which output is the next of which input.
    By shape: the input's name says that it is a state, and one output alone has its type and shape.

    An input and a result must be left: `state_in` and `state_out` of a filter are no state.

    Raises:
        WebbuildError: `ambiguous-state` where several outputs may be the next value of an input.
    """
    found = {name: StatePair(name, output, "--state") for name, output in (given or {}).items()}
    for find in (_by_name, _by_shape):
        more = {pair.input: pair for pair in find(signature, found)}
        taken = {pair.output for pair in (*found.values(), *more.values())}
        if len(found) + len(more) < len(signature.inputs) and len(taken) < len(signature.outputs):
            found |= more
    return tuple(found[spec.name] for spec in signature.inputs if spec.name in found)


def guessed_states(pairs: tuple[StatePair, ...]) -> frozenset[str]:
    """Return the inputs that were paired by name or shape."""
    return frozenset(pair.input for pair in pairs if pair.reason != "--state")


def against_names(signature: ModelSignature, given: Mapping[str, str]) -> dict[str, str]:
    """Return the outputs that names tell, by input, where they are others than those given."""
    named = {pair.input: pair.output for pair in _by_name(signature, {})}
    return {name: named[name] for name, output in given.items() if named.get(name, output) != output}


def _by_name(signature: ModelSignature, found: Mapping[str, StatePair]) -> Iterator[StatePair]:
    free = [made for made in signature.outputs if made.name not in {pair.output for pair in found.values()}]
    named: list[StatePair] = []
    for given in signature.inputs:
        likely = [(is_next(given.name, made.name), made) for made in free if may_become(made, given)]
        best = max((sure for sure, _ in likely), default=0)
        fitting = [made for sure, made in likely if sure == best > 0]
        if given.name not in found and len(fitting) == 1:
            named.append(StatePair(given.name, fitting[0].name, "name"))
    taken = [pair.output for pair in named]
    yield from (pair for pair in named if taken.count(pair.output) == 1)


def _by_shape(signature: ModelSignature, found: Mapping[str, StatePair]) -> Iterator[StatePair]:
    free = [made for made in signature.outputs if made.name not in {pair.output for pair in found.values()}]
    asked = [spec for spec in signature.inputs if spec.name not in found and names_memory(spec.name)]
    for given in asked:
        fitting = [made for made in free if made.dtype == given.dtype and made.shape == given.shape]
        rivals = [spec for spec in asked if spec.dtype == given.dtype and spec.shape == given.shape]
        if not fitting or len(given.shape) < 2 or None in given.shape or len(free) == len(rivals):
            continue
        if len(fitting) > 1 or len(rivals) > 1:
            names = ", ".join(f"'{made.name}'" for made in fitting)
            raise WebbuildError(
                "ambiguous-state",
                f"{signature.file}: input '{given.name}' {describe_spec(given)} looks like a state, and more than one "
                f"output may be its next value, or more than one input takes it: {names}",
                f"give --state {given.name}={fitting[0].name} or another of them; --state none keeps it a tensor",
                exit_code=USAGE,
            )
        yield StatePair(given.name, fitting[0].name, "shape")


def may_become(made: TensorSpec, given: TensorSpec) -> bool:
    """Whether an output may be the next run's input: type and rank are the same, and no size is another."""
    sizes = zip(made.shape, given.shape, strict=False)
    fits = all(not isinstance(a, int) or not isinstance(b, int) or a == b for a, b in sizes)
    return made.dtype == given.dtype and len(made.shape) == len(given.shape) and fits


def describe_spec(spec: TensorSpec) -> str:
    """Return type and shape: float32 [1, 16, h, w]."""

    def shown(size: Dim) -> str:
        return "?" if size is None else str(size)

    return f"{spec.dtype} [{', '.join(map(shown, spec.shape))}]"


def without_states(signature: ModelSignature, states: tuple[StatePair, ...]) -> ModelSignature:
    """Return what tasks see of a model: inputs and outputs that are no states, and all outputs where all are."""
    remembered, made = {pair.input for pair in states}, {pair.output for pair in states}
    results = tuple(each for each in signature.outputs if each.name not in made)
    return msgspec.structs.replace(
        signature,
        inputs=tuple(each for each in signature.inputs if each.name not in remembered),
        outputs=results or signature.outputs,
    )
