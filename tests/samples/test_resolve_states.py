"""The states of models in files: which tensors they are, and the sizes at which they stay constant."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.models import HEADER, parsed, save
from tests.stateful import AVERAGE, CACHE, GRU, MATTING, SCALED, VOICE, WINDOW, stateful
from webbuild.compile.load_model import LoadedModel, load_model
from webbuild.errors import WebbuildError
from webbuild.reporting.progress import ProgressReporter

NONE_GIVEN: dict[str, str] = {}


def loaded(folder: Path, text: str, states: dict[str, str] | None = NONE_GIVEN, **dims: int) -> LoadedModel:
    path = save(stateful(text), folder / "model.onnx")
    values = {"sr": "16000"} if text is VOICE else {}
    return load_model(path, dims, ProgressReporter(quiet=True), values=values, states=states)


def pairs(model: LoadedModel) -> dict[str, str]:
    return {pair.input: pair.output for pair in model.source.states}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (GRU, "state: state [1, 4] <- stateN (by name), zeros at first"),
        (VOICE, "state: state [2, 1, 16] <- stateN (by name), zeros at first"),
        (WINDOW, "state: buffer [1, 4, 16] <- next_buffer (by name), zeros at first"),
    ],
    ids=["cell", "voice", "window"],
)
def test_what_is_remembered_is_said(tmp_path: Path, text: str, said: str) -> None:
    assert said in loaded(tmp_path, text).repairs


def test_states_of_any_size_get_the_one_that_lasts(tmp_path: Path) -> None:
    model = loaded(tmp_path, MATTING, h=64, w=96)
    assert pairs(model) == {"r1i": "r1o", "r2i": "r2o"}
    assert [model.dims.dims[f"r1i:{axis}"] for axis in range(4)] == [1, 4, 32, 48]
    assert [model.dims.dims[f"r2i:{axis}"] for axis in range(4)] == [1, 6, 16, 24]
    said = "state: r1i [1, 4, 32, 48] <- r1o, r2i [1, 6, 16, 24] <- r2o (by name), zeros at first"
    assert model.repairs == (f"{said}; zeros of the smallest shape, [1, ...], give the same first output",)


def test_another_start_from_the_smallest_shape_is_a_warning(tmp_path: Path) -> None:
    text = f"""{HEADER}
    m (float[1,3,h,w] src, float[b,c,i,j] r1i) => (float[1,3,h,w] y, float[p,q,s,t] r1o)
    {{ shape = Shape (src) before = Expand (r1i, shape) r1o = Add (src, before)
       n = Size (r1i) size = Cast <to = 1> (n) y = Mul (r1o, size) }}"""
    model = load_model(save(parsed(text), tmp_path / "m.onnx"), {"h": 8, "w": 8}, ProgressReporter(quiet=True))
    assert model.repairs == ("state: r1i [1, 3, 8, 8] <- r1o (by name), zeros at first",)
    (warning,) = model.source.warnings
    assert warning.startswith("[state-start] zeros of the states' full shapes")
    assert loaded(tmp_path, MATTING, h=64, w=96).source.warnings == ()


@pytest.mark.parametrize(("given", "ratio", "side"), [({}, "0.5", 256), ({"downsample_ratio": "0.25"}, "0.25", 128)])
def test_a_factor_that_decides_sizes_is_a_constant(
    tmp_path: Path, given: dict[str, str], ratio: str, side: int
) -> None:
    path = save(stateful(SCALED), tmp_path / "model.onnx")
    model = load_model(path, {"h": 768, "w": 1024}, ProgressReporter(quiet=True), values=given)
    assert [model.dims.dims[f"r1i:{axis}"] for axis in (2, 3)] == [side * 3 // 4, side]
    assert f"input 'downsample_ratio' is {ratio}" in model.repairs[0]
    assert "downsample_ratio" not in {spec.name for spec in model.source.signature.inputs}


def test_a_cache_that_grows_is_no_state(tmp_path: Path) -> None:
    model = loaded(tmp_path, CACHE)
    assert pairs(model) == {}
    assert model.repairs == (
        "no state: 'past_key': the output is the input with more appended, so the caller gives it in each run",
    )


def test_an_input_that_is_passed_on_is_no_state(tmp_path: Path) -> None:
    text = f"""{HEADER} encoder (float[1,4] x, bool[1,4] x_mask) => (float[1,4] y, bool[1,4] x_mask_out)
    <float zero = {{0}}> {{
        y = Where (x_mask, x, zero) x_mask_out = Identity (x_mask)
    }}"""
    model = loaded(tmp_path, text)
    assert pairs(model) == {}
    (note,) = model.repairs
    assert note == "no state: 'x_mask': the output is a copy of the input, so the caller gives it in each run"
    assert pairs(loaded(tmp_path, text, {"x_mask": "x_mask_out"})) == {"x_mask": "x_mask_out"}


def test_a_state_of_the_wrong_size_is_no_state(tmp_path: Path) -> None:
    proto = stateful(WINDOW)
    kept = next(each for each in proto.graph.node if each.op_type == "Slice")
    kept.input[1] = "two"
    proto.graph.initializer.append(type(proto.graph.initializer[0])(dims=[1], data_type=7, int64_data=[2], name="two"))
    for value in (proto.graph.output[1],):
        value.type.tensor_type.shape.dim[1].dim_param = "rows"
    model = load_model(save(proto, tmp_path / "m.onnx"), {}, ProgressReporter(quiet=True))
    assert pairs(model) == {}
    assert "[1, 4, 16] becomes [1, 3, 16]" in model.repairs[0]


def test_a_given_state_that_grows_is_refused(tmp_path: Path) -> None:
    with pytest.raises(
        WebbuildError, match="--state past_key=present_key: it is not a state of a fixed size"
    ) as caught:
        loaded(tmp_path, CACHE, {"past_key": "present_key"})
    assert caught.value.code == "state-mismatch"


def test_the_only_output_may_be_given_as_a_state(tmp_path: Path) -> None:
    assert pairs(loaded(tmp_path, AVERAGE)) == {}
    assert pairs(loaded(tmp_path, AVERAGE, {"before": "y"})) == {"before": "y"}


def test_a_model_may_be_said_to_have_no_states(tmp_path: Path) -> None:
    assert pairs(loaded(tmp_path, GRU, None)) == {}


def test_what_is_read_under_a_wrong_name_is_refused(tmp_path: Path) -> None:
    with pytest.raises(WebbuildError, match="no output 'state'; the nearest is 'stateN'"):
        loaded(tmp_path, VOICE, {"state": "state"})
