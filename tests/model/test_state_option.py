"""`--state`: parsed, and validated against the model."""

from __future__ import annotations

import pytest

from webbuild.errors import USAGE, WebbuildError
from webbuild.model.signature import ModelSignature, TensorSpec
from webbuild.model.state_option import check_given_states, parse_states
from webbuild.model.states import find_states

VOICE = ModelSignature(
    "voice.onnx",
    "",
    {},
    (TensorSpec("input", "float32", (1, 512)), TensorSpec("state", "float32", (2, "batch", 128))),
    (
        TensorSpec("output", "float32", (1, 1)),
        TensorSpec("stateN", "float32", (2, "batch", 128)),
        TensorSpec("next_count", "int64", (2, 1, 128)),
    ),
)


def test_pairs_are_parsed() -> None:
    assert parse_states(("h0=hn", "c0=cn")) == {"h0": "hn", "c0": "cn"}
    assert parse_states(()) == {}
    assert parse_states(("none",)) is None


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("h0",), "not INPUT=OUTPUT"),
        (("=hn",), "not INPUT=OUTPUT"),
        (("h0=",), "not INPUT=OUTPUT"),
        (("none", "h0=hn"), "not INPUT=OUTPUT"),
        (("h0=hn", "h0=cn"), "input 'h0' is given twice"),
        (("h0=hn", "c0=hn"), "output 'hn' is given twice"),
    ],
)
def test_what_is_no_pair_is_refused(arguments: tuple[str, ...], says: str) -> None:
    with pytest.raises(WebbuildError, match=says) as caught:
        parse_states(arguments)
    assert (caught.value.code, caught.value.exit_code) == ("invalid-state-pair", USAGE)


@pytest.mark.parametrize(
    ("given", "code", "says"),
    [
        ({"state": "state"}, "unknown-state", "no output 'state'; the nearest is 'stateN'"),
        ({"stat": "stateN"}, "unknown-state", "no input 'stat'; the nearest is 'state'"),
        ({"state": "next_count"}, "state-mismatch", "float32 .2, batch, 128.* int64 .2, 1, 128"),
        ({"state": "output"}, "state-mismatch", "float32 .2, batch, 128.* float32 .1, 1"),
    ],
)
def test_names_types_and_shapes_have_to_fit(given: dict[str, str], code: str, says: str) -> None:
    with pytest.raises(WebbuildError, match=says) as caught:
        check_given_states(VOICE, given)
    assert (caught.value.code, caught.value.exit_code) == (code, USAGE)


def test_an_input_has_to_be_left() -> None:
    alone = ModelSignature("m.onnx", "", {}, VOICE.inputs[1:], VOICE.outputs)
    with pytest.raises(WebbuildError, match="names every input"):
        check_given_states(alone, {"state": "stateN"})


LSTM = ModelSignature(
    "lstm.onnx",
    "",
    {},
    tuple(TensorSpec(name, "float32", (1, 4)) for name in ("x", "h0", "c0")),
    tuple(TensorSpec(name, "float32", (1, 4)) for name in ("y", "hn", "cn")),
)


def test_a_given_pair_is_kept_beside_those_found_by_name() -> None:
    found = find_states(LSTM, {"c0": "cn"})
    assert [(pair.input, pair.output, pair.reason) for pair in found] == [("h0", "hn", "name"), ("c0", "cn", "--state")]


def test_a_pair_that_contradicts_the_names_is_refused() -> None:
    with pytest.raises(WebbuildError, match="--state h0=cn: by the names it would be 'hn'") as caught:
        check_given_states(LSTM, {"h0": "cn", "c0": "hn"})
    assert (caught.value.code, caught.value.exit_code) == ("state-against-names", USAGE)
    assert "--state h0=hn" in caught.value.fix
    check_given_states(LSTM, {"h0": "hn", "c0": "cn"})
