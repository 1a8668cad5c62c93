"""States: inputs that take the value of an output of the previous run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal

import msgspec
from msgspec import Struct

from webbuild.errors import USAGE, WebbuildError
from webbuild.model.signature import Dim, ModelSignature, TensorSpec
from webbuild.model.state_names import names_memory, next_value_markers


class StatePair(Struct, frozen=True):
    """An input, the output with its next value, and how the pair was found."""

    input: str
    output: str
    reason: Literal["name", "shape", "--state"]


def find_states(signature: ModelSignature, outputs_by_input: Mapping[str, str] | None = None) -> tuple[StatePair, ...]:
    """Return the states of a model: first the pairs of `outputs_by_input`, then by names, then by shape.

    By name:  the names mark the output as the next value, and the type is equal and the shape compatible.
    By shape: the input's name says that it is a state, and only one output has its type and shape.

    At least one input and one output must be left: `state_in` and `state_out` of a filter are not states.

    Raises:
        WebbuildError: `ambiguous-state` where several outputs may be the next value of an input.
    """
    pairs = {name: StatePair(name, output, "--state") for name, output in (outputs_by_input or {}).items()}
    for find in (_by_name, _by_shape):
        more = {pair.input: pair for pair in find(signature, pairs)}
        taken = {pair.output for pair in (*pairs.values(), *more.values())}
        if len(pairs) + len(more) < len(signature.inputs) and len(taken) < len(signature.outputs):
            pairs |= more
    return tuple(pairs[spec.name] for spec in signature.inputs if spec.name in pairs)


def guessed_states(pairs: tuple[StatePair, ...]) -> frozenset[str]:
    """Return the inputs that were paired by name or shape."""
    return frozenset(pair.input for pair in pairs if pair.reason != "--state")


def against_names(signature: ModelSignature, outputs_by_input: Mapping[str, str]) -> dict[str, str]:
    """Return the outputs that the names suggest, by input, where they differ from `outputs_by_input`."""
    named = {pair.input: pair.output for pair in _by_name(signature, {})}
    return {name: named[name] for name, output in outputs_by_input.items() if named.get(name, output) != output}


def _by_name(signature: ModelSignature, pairs: Mapping[str, StatePair]) -> Iterator[StatePair]:
    free = [output for output in signature.outputs if output.name not in {pair.output for pair in pairs.values()}]
    named: list[StatePair] = []
    for spec in signature.inputs:
        likely = [(next_value_markers(spec.name, output.name), output) for output in free if may_become(output, spec)]
        best = max((sure for sure, _ in likely), default=0)
        fitting = [output for sure, output in likely if sure == best > 0]
        if spec.name not in pairs and len(fitting) == 1:
            named.append(StatePair(spec.name, fitting[0].name, "name"))
    taken = [pair.output for pair in named]
    yield from (pair for pair in named if taken.count(pair.output) == 1)


def _by_shape(signature: ModelSignature, pairs: Mapping[str, StatePair]) -> Iterator[StatePair]:
    free = [output for output in signature.outputs if output.name not in {pair.output for pair in pairs.values()}]
    memory_inputs = [spec for spec in signature.inputs if spec.name not in pairs and names_memory(spec.name)]
    for memory_spec in memory_inputs:
        fitting = [output for output in free if output.dtype == memory_spec.dtype and output.shape == memory_spec.shape]
        rivals = [spec for spec in memory_inputs if spec.dtype == memory_spec.dtype and spec.shape == memory_spec.shape]
        if not fitting or len(memory_spec.shape) < 2 or None in memory_spec.shape or len(free) == len(rivals):
            continue
        if len(fitting) > 1 or len(rivals) > 1:
            names = ", ".join(f"'{output.name}'" for output in fitting)
            raise WebbuildError(
                "ambiguous-state",
                f"{signature.file}: input '{memory_spec.name}' {describe_spec(memory_spec)} looks like a state, "
                f"and more than one output may be its next value, or more than one input takes it: {names}",
                f"give --state {memory_spec.name}={fitting[0].name} or another of them; --state none keeps it a tensor",
                exit_code=USAGE,
            )
        yield StatePair(memory_spec.name, fitting[0].name, "shape")


def may_become(output: TensorSpec, spec: TensorSpec) -> bool:
    """Whether an output may be the input `spec` of the next run: same type and rank, and no fixed size differs."""
    sizes = zip(output.shape, spec.shape, strict=False)
    fits = all(not isinstance(a, int) or not isinstance(b, int) or a == b for a, b in sizes)
    return output.dtype == spec.dtype and len(output.shape) == len(spec.shape) and fits


def describe_spec(spec: TensorSpec) -> str:
    """Return type and shape: float32 [1, 16, h, w]."""

    def shown(size: Dim) -> str:
        return "?" if size is None else str(size)

    return f"{spec.dtype} [{', '.join(map(shown, spec.shape))}]"


def without_states(signature: ModelSignature, states: tuple[StatePair, ...]) -> ModelSignature:
    """Return the signature without states, for the tasks; all outputs stay if all of them are states."""
    state_inputs, next_values = {pair.input for pair in states}, {pair.output for pair in states}
    results = tuple(each for each in signature.outputs if each.name not in next_values)
    return msgspec.structs.replace(
        signature,
        inputs=tuple(each for each in signature.inputs if each.name not in state_inputs),
        outputs=results or signature.outputs,
    )
