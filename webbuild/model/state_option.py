"""States that the user names: `--state h0=hn`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches

from webbuild.errors import USAGE, WebbuildError
from webbuild.model.signature import ModelSignature, TensorSpec
from webbuild.model.states import against_names, describe_spec, may_become

_NO_STATES = "none"
"""The value for a model without states."""


def parse_states(arguments: Sequence[str]) -> dict[str, str] | None:
    """Parse `INPUT=OUTPUT`. Returns outputs by input, None where the model has no states: `none`.

    Raises:
        WebbuildError: `invalid-state-pair`.
    """
    outputs_by_input: dict[str, str] = {}
    for argument in arguments:
        name, equals, output = argument.partition("=")
        if argument == _NO_STATES and len(arguments) == 1:
            return None
        if not equals or not name or not output:
            raise _invalid(argument, "this is not INPUT=OUTPUT")
        if name in outputs_by_input:
            raise _invalid(argument, f"input '{name}' is given twice")
        if output in outputs_by_input.values():
            raise _invalid(argument, f"output '{output}' is given twice, and is the next value of one input")
        outputs_by_input[name] = output
    return outputs_by_input


def check_given_states(signature: ModelSignature, outputs_by_input: Mapping[str, str]) -> None:
    """Raise where a pair does not fit the model.

    Raises:
        WebbuildError: `unknown-state` for a name that the model lacks, `state-mismatch` for another type or shape, or
            if no other input is left; `state-against-names` if the names suggest another pair.
    """
    inputs, outputs = ({each.name: each for each in some} for some in (signature.inputs, signature.outputs))
    for name, output in outputs_by_input.items():
        source = _named(signature, name, inputs, f"--state {name}={output}", "input")
        output_spec = _named(signature, output, outputs, f"--state {name}={output}", "output")
        if not may_become(output_spec, source):
            raise WebbuildError(
                "state-mismatch",
                f"{signature.file}: --state {name}={output}: input '{name}' is {describe_spec(source)}, "
                f"output '{output}' {describe_spec(output_spec)}",
                "name an output of the input's type and shape: it is the input of the next run",
                exit_code=USAGE,
            )
    if outputs_by_input and len(outputs_by_input) == len(signature.inputs):
        raise WebbuildError(
            "state-mismatch",
            f"{signature.file}: --state names every input, so a run would have no input",
            "leave out the input that is new in each run",
            exit_code=USAGE,
        )
    for name, named in against_names(signature, outputs_by_input).items():
        raise WebbuildError(  # h0=cn runs as h0=hn does, with different results: no comparison can tell
            "state-against-names",
            f"{signature.file}: --state {name}={outputs_by_input[name]}: by the names it would be '{named}'",
            f"give --state {name}={named}, or leave it out; if the names mislead, rename '{named}' in the model",
            exit_code=USAGE,
        )


def _named(
    signature: ModelSignature, name: str, known: Mapping[str, TensorSpec], argument: str, what: str
) -> TensorSpec:
    if name in known:
        return known[name]
    near = get_close_matches(name, known, 1)
    raise WebbuildError(
        "unknown-state",
        f"{signature.file}: {argument}: there is no {what} '{name}'"
        + (f"; the nearest is '{near[0]}'" if near else ""),
        f"the {what}s are: {', '.join(known)}",
        exit_code=USAGE,
    )


def _invalid(argument: str, reason: str) -> WebbuildError:
    fix = "write for example --state h0=hn --state c0=cn, or --state none for a model without states"
    return WebbuildError("invalid-state-pair", f"--state {argument}: {reason}", fix, exit_code=USAGE)
