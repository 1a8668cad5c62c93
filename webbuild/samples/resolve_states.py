"""States of a model: which inputs are states, and the sizes that they keep from run to run."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import msgspec

from webbuild.errors import USAGE, WebbuildError, page_url
from webbuild.model.load import OnnxModel
from webbuild.model.state_option import check_given_states
from webbuild.model.states import find_states
from webbuild.passes.analysis.growing_states import copies, grows
from webbuild.runners.native import NativeRunner
from webbuild.samples.state_sizes import changed_states, first_states, ignores_initial_size
from webbuild.tasks.options.symbolic_dims import ResolvedDims

_MAX_LISTED_INPUTS = 3
"""Inputs that a note lists by name."""
_MAX_LISTED_PAIRS = 6
"""State pairs that a note lists by name."""
_APPENDED = "the output is the input with more appended"
_COPIED = "the output is a copy of the input"
_NO_SIZES = "no sizes were found at which it lasts from run to run"
_STATE_START_WARNING = (
    "[state-start] zeros of the states' full shapes, with which the bundle starts, give another first output than "
    "zeros of the smallest shape, [1, ...]; if your code starts with the smallest, compare the first outputs; "
    f"see: {page_url('state-start')}"
)


def resolve_states(
    source: OnnxModel,
    outputs_by_input: Mapping[str, str] | None,
    choose: Callable[[OnnxModel], ResolvedDims],
    open_native: Callable[[OnnxModel], NativeRunner],
) -> tuple[OnnxModel, ResolvedDims]:
    """Return the model with its states (described in `repairs`), and a size for each free dimension.

    A tensor that grows from run to run, such as a key-value cache, is not a state, and neither is one that an output
    copies, such as a mask: the caller feeds it.

    Args:
        source: the model.
        outputs_by_input: outputs by input that the user named as states; None for a model without states.
        choose: returns the sizes of a model with states.
        open_native: opens a native session of a model.

    Raises:
        WebbuildError: the errors of `find_states` and `check_given_states`; `state-mismatch` for a state of the user
            that grows.
    """
    if outputs_by_input is None:
        return source, choose(source)
    check_given_states(source.signature, outputs_by_input)
    states = find_states(source.signature, outputs_by_input)
    growing = {pair.input: _APPENDED for pair in states if grows(source.model, pair.input, pair.output)}
    if growing:  # the cross-attention entries of a decoder, which do not grow, belong to the same cache
        growing |= {pair.input: _APPENDED for pair in states if pair.input.startswith("past")}
    source = _without(msgspec.structs.replace(source, states=states), growing)
    guessed = {pair.input: pair.output for pair in source.states if pair.reason != "--state"}
    source = _without(source, {name: _COPIED for name in guessed if copies(source.model, name, guessed[name])})
    try:
        sizes = choose(source)
    except WebbuildError:
        free = {pair.input: _NO_SIZES for pair in source.states}
        if not free or outputs_by_input:
            raise
        source = _without(source, free)
        return source, choose(source)
    if not source.states:
        return source, sizes
    native = open_native(source)
    if changed := changed_states(source, sizes.dims, native):
        source = _without(source, changed)
        sizes = choose(source)
    if not source.states:
        return source, sizes
    return _with_description(source, sizes, native), sizes


def _with_repair(source: OnnxModel, note: str) -> OnnxModel:
    return msgspec.structs.replace(source, repairs=(*source.repairs, note))


def _without(source: OnnxModel, reasons: Mapping[str, str]) -> OnnxModel:
    """Return the model without the states of `reasons`, whose shape changes, with the reason in `repairs`."""
    if not reasons:
        return source
    for pair in source.states:
        if pair.reason == "--state" and pair.input in reasons:
            raise WebbuildError(
                "state-mismatch",
                f"{source.signature.file}: --state {pair.input}={pair.output}: it is not a state of a fixed size: "
                f"{reasons[pair.input]}",
                "leave it out, and give the tensor in each run; or export the model with a state of a fixed size",
                exit_code=USAGE,
            )
    remaining = tuple(pair for pair in source.states if pair.input not in reasons)
    names = ", ".join(f"'{name}'" for name in list(reasons)[:_MAX_LISTED_INPUTS])
    more = f" and {len(reasons) - _MAX_LISTED_INPUTS} more" if len(reasons) > _MAX_LISTED_INPUTS else ""
    note = f"no state: {names}{more}: {next(iter(reasons.values()))}, so the caller gives it in each run"
    return _with_repair(msgspec.structs.replace(source, states=remaining), note)


def _with_description(source: OnnxModel, sizes: ResolvedDims, native: NativeRunner) -> OnnxModel:
    """Return the model with a note on its states: shapes, how they were recognized, and their initial values.

    state: r1i [1, 16, 112, 112] <- r1o, r2i [1, 20, 56, 56] <- r2o (by name), zeros at first
    """
    shapes = {name: list(array.shape) for name, array in first_states(source, sizes.dims, native).items()}
    pairs_text = []
    for reason in dict.fromkeys(pair.reason for pair in source.states):
        pairs = [
            f"{pair.input} {shapes[pair.input]} <- {pair.output}" for pair in source.states if pair.reason == reason
        ]
        more = f" and {len(pairs) - _MAX_LISTED_PAIRS} more" if len(pairs) > _MAX_LISTED_PAIRS else ""
        pairs_text.append(
            f"{', '.join(pairs[:_MAX_LISTED_PAIRS])}{more} ({'' if reason == '--state' else 'by '}{reason})"
        )
    note = f"state: {'; '.join(pairs_text)}, zeros at first"
    same_output = ignores_initial_size(source, sizes.dims, native)
    if same_output:
        note = f"{note}; zeros of the smallest shape, [1, ...], give the same first output"
    elif same_output is not None:
        source = msgspec.structs.replace(source, warnings=(*source.warnings, _STATE_START_WARNING))
    return _with_repair(source, note)
