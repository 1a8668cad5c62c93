"""States: which input takes which output in the next run, by name."""

from __future__ import annotations

import pytest

from webbuild.errors import WebbuildError
from webbuild.model.signature import Dim, ModelSignature, TensorSpec
from webbuild.model.state_names import next_value_markers
from webbuild.model.states import find_states, without_states

NEXT = [
    ("r1i", "r1o"),
    ("state", "stateN"),
    ("state", "state_out"),
    ("stateIn", "stateOut"),
    ("in_state", "out_state"),
    ("h", "hn"),
    ("h0", "hn"),
    ("h_0", "h_n"),
    ("c0", "cn"),
    ("h0", "h0_out"),
    ("buffer", "next_buffer"),
    ("prev_y", "y"),
    ("prev_hidden", "hidden"),
    ("past_3", "present_3"),
    ("past_key_values.0.key", "present.0.key"),
    ("cached_key_0", "new_cached_key_0"),
    ("cache_last_channel", "cache_last_channel_next"),
]
OTHERS = [
    ("r1i", "r2o"),
    ("h", "cn"),
    ("h1", "h0_out"),
    ("past_key_values.1.key", "present.0.key"),
    ("past_key_values.0.value", "present.0.key"),
    ("state", "output"),
    ("image_in", "image_out"),
    ("x", "x_out"),
    ("input", "output"),
    ("src", "fgr"),
]


@pytest.mark.parametrize(("given", "made"), NEXT, ids=str)
def test_names_that_follow_each_other(given: str, made: str) -> None:
    assert next_value_markers(given, made)


@pytest.mark.parametrize(("given", "made"), OTHERS, ids=str)
def test_names_that_do_not(given: str, made: str) -> None:
    assert not next_value_markers(given, made)


def signature(inputs: dict[str, tuple[Dim, ...]], outputs: dict[str, tuple[Dim, ...]]) -> ModelSignature:
    def specs(named: dict[str, tuple[Dim, ...]]) -> tuple[TensorSpec, ...]:
        return tuple(
            TensorSpec(name, "int64" if "count" in name else "float32", shape) for name, shape in named.items()
        )

    return ModelSignature("model.onnx", "", {}, specs(inputs), specs(outputs))


def pairs(model: ModelSignature) -> dict[str, str]:
    return {pair.input: pair.output for pair in find_states(model)}


def test_each_state_of_a_cell() -> None:
    cell = signature({"x": (1, 8), "h0": (1, 4), "c0": (1, 4)}, {"y": (1, 2), "hn": (1, 4), "cn": (1, 4)})
    assert pairs(cell) == {"h0": "hn", "c0": "cn"}
    seen = without_states(cell, find_states(cell))
    assert [each.name for each in (*seen.inputs, *seen.outputs)] == ["x", "y"]


def test_another_type_or_shape_is_no_state() -> None:
    assert pairs(signature({"x": (1,), "h0": (1, 4)}, {"y": (1,), "hn": (1, 5)})) == {}
    assert pairs(signature({"x": (1,), "h0": (1, 4)}, {"y": (1,), "hn": (4,)})) == {}
    assert pairs(signature({"x": (1,), "count": (1,)}, {"y": (1,), "next_count": (1,)})) == {"count": "next_count"}
    assert pairs(signature({"x": (1,), "past_count": (1,)}, {"y": (1,), "present_number": (1,)})) == {}


def test_a_filter_has_no_state_but_an_input_and_a_result() -> None:
    assert pairs(signature({"state_in": (1, 4)}, {"state_out": (1, 4), "y": (1,)})) == {}
    assert pairs(signature({"x": (1,), "state_in": (1, 4)}, {"state_out": (1, 4)})) == {}


def test_by_shape_where_the_name_of_the_input_alone_tells() -> None:
    one = signature({"x": (1, 8), "state": (2, 1, 16)}, {"y": (1, 2), "output_1": (2, 1, 16)})
    assert [(pair.output, pair.reason) for pair in find_states(one)] == [("output_1", "shape")]
    assert pairs(signature({"x": (1, 8), "noise": (2, 1, 16)}, {"y": (1, 2), "output_1": (2, 1, 16)})) == {}
    assert pairs(signature({"x": (1, 8), "state": (2, 1, 16)}, {"output_1": (2, 1, 16)})) == {}
    assert pairs(signature({"x": (1, 8), "encoder_hidden_states": (1, 7, 16)}, {"y": (1,), "z": (1, 7, 16)})) == {}


@pytest.mark.parametrize(
    ("inputs", "outputs"),
    [(["state"], ["output_1", "output_2"]), (["hidden", "cell"], ["output_1", "output_2"])],
    ids=str,
)
def test_several_that_fit_by_shape_are_asked_for(inputs: list[str], outputs: list[str]) -> None:
    shape: tuple[Dim, ...] = (1, 16)
    given, made = dict.fromkeys(inputs, shape), dict.fromkeys(outputs, shape)
    with pytest.raises(
        WebbuildError, match=f"'{inputs[0]}' float32 .1, 16. looks like a state.*'output_1', 'output_2'"
    ) as caught:
        find_states(signature({"x": (1, 8), **given}, {"y": (1, 2), **made}))
    assert caught.value.code == "ambiguous-state"
    assert "--state none" in caught.value.fix
