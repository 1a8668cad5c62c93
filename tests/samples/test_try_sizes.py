"""Dynamic heights and widths are tried on native ONNX Runtime, as are sizes given by the user."""

from __future__ import annotations

import time
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import patch

import msgspec
import numpy as np
import onnx
import pytest

from tests.commands.program import webbuild
from tests.models import parsed, save, weights
from webbuild.errors import USAGE, WebbuildError
from webbuild.model.load import OnnxModel, load_onnx
from webbuild.model.states import find_states
from webbuild.runners.native import NativeRunner
from webbuild.samples import try_sizes
from webbuild.samples.try_sizes import LENGTHS, SIDES, check_given_sizes, choose_sizes
from webbuild.tasks.options.symbolic_dims import ResolvedDims, resolve_dims

FREE = """<ir_version: 8, opset_import: ["" : 18]>
free (float[%s] x) => (float[a,b,c,d] y) { y = GlobalMaxPool (x) }"""
ONE_SIDE = """<ir_version: 8, opset_import: ["" : 18]>
patches (float[n,3,h,w] x) => (float[n,m] y)
<int64[2] flat = {1, %d}>
{ y = Reshape (x, flat) }"""

TILES = """<ir_version: 8, opset_import: ["" : 18]>
tiles (float[n,3,h,w] x) => (float[n,c,th,tw] y) { y = SpaceToDepth <blocksize = 16> (x) }"""
RATES = """<ir_version: 8, opset_import: ["" : 18]>
rates (float[1,n] x, int64 rate) => (float[m,k] y)
<int64 high = {16000}, int64[2] large = {-1, %d}, int64[2] small = {-1, %d}> {
    c = Equal (rate, high)
    y = If (c) <then_branch = a () => (float[m,k] p) { p = Reshape (x, large) },
        else_branch = b () => (float[m,k] q) { q = Reshape (x, small) }> }"""
ONE_LENGTH = """<ir_version: 8, opset_import: ["" : 18]>
text (float[n,tokens] x) => (float[n,m] y)
<int64[2] flat = {1, %d}>
{ y = Reshape (x, flat) }"""
DEVIATION = """<ir_version: 8, opset_import: ["" : 18]>
deviation (float[1,samples] x) => (float[m] y) <int64[2] frames = {-1, %d}, int64[1] first = {0}, float one = {1}> {
    f = Reshape (x, frames)
    mean = ReduceMean (f, first)
    residual = Sub (f, mean)
    sum = ReduceSumSquare <keepdims = 0> (residual, first)
    shape = Shape <end = 1> (f)
    count = Cast <to = 1> (shape)
    less = Sub (count, one)
    variance = Div (sum, less)
    y = Sqrt (variance) }"""
"""The standard deviation over frames, which is NaN for one frame: 0/0."""
POSITIONS = """<ir_version: 8, opset_import: ["" : 18]>
positions (int64[1,tokens] ids) => (float[1,m,2] y) <int64 padding = {1}, int64 last = {1}> {
    empty = Equal (ids, padding)
    token = Not (empty)
    counted = Cast <to = 7> (token)
    position = CumSum (counted, last)
    y = Gather (table, position) }"""
"""RoBERTa's positions: padding does not count, so any number of it fits into the table."""
CACHE = """<ir_version: 8, opset_import: ["" : 18]>
text (float[batch_size,past_length] past, float[batch_size,length] ids, float[batch_size,total_length] mask)
  => (float[n,m] y)
{ all = Concat <axis = 1> (past, ids)
  y = Mul (all, mask) }"""

STATE = """<ir_version: 8, opset_import: ["" : 18]>
matting (float[n,3,h,w] x, float[n,CHANNELS,h2,w2] r1i, float[n,CHANNELS,h4,w4] r2i)
  => (float[n,CHANNELS,i,j] r1o, float[n,CHANNELS,k,l] r2o, float[n,1,i,j] pha)
<int64[1] one = {1}>
{ half = MaxPool <kernel_shape = [2, 2], strides = [2, 2]> (x)
  mean = ReduceMean <keepdims = 1> (half, one)
  r1o = BEFORE (mean, r1i)
  pha = Identity (mean)
  quarter = MaxPool <kernel_shape = [2, 2], strides = [2, 2]> (mean)
  r2o = BEFORE (quarter, r2i) }"""


SHARED = """zero = Constant <value_ints = [0]> ()
  r1o = ReduceMax <keepdims = 1> (both, zero)
  pha = Gather <axis = 0> (both, zero)"""
"""The maximum of the image and the state, which must have the same size to be stacked."""


def chosen(folder: Path, text: str, **given: int) -> ResolvedDims:
    source = load_onnx(save(parsed(text), folder / "m.onnx"))
    source = msgspec.structs.replace(source, states=find_states(source.signature))
    return choose_sizes(source, given, lambda: NativeRunner(source.path))


@pytest.mark.parametrize("shape", ["n,3,h,w", "unk__1,1,h,w", "batch,h,w,4", "b,num_channels,h,w"])
def test_the_largest_side_is_taken_where_any_runs(tmp_path: Path, shape: str) -> None:
    sizes = chosen(tmp_path, FREE % shape)
    height, width = ("x:1", "x:2") if shape.endswith("4") else ("x:2", "x:3")
    assert sizes.dims[height] == sizes.dims[width] == SIDES[0]
    assert sizes.dims["x:0"] == 1
    assert "which native ONNX Runtime runs; change it with --dim" in sizes.assumptions[-1]


@pytest.mark.parametrize("side", [384, 224])
def test_the_one_side_that_runs_is_found(tmp_path: Path, side: int) -> None:
    sizes = chosen(tmp_path, ONE_SIDE % (3 * side * side))
    assert (sizes.dims["x:2"], sizes.dims["x:3"]) == (side, side)


def test_a_side_of_a_latent_is_found_where_no_picture_side_runs(tmp_path: Path) -> None:
    sizes = chosen(tmp_path, ONE_SIDE % (3 * 64 * 64))
    assert (sizes.dims["x:2"], sizes.dims["x:3"]) == (64, 64)
    assert "height and width of 'x' are 64, a size at which" in sizes.assumptions[-1]


def test_the_timestep_of_a_diffusion_model_is_one_for_each_picture(tmp_path: Path) -> None:
    text = """<ir_version: 8, opset_import: ["" : 18]>
    unet (float[batch,4,8,8] sample, float[steps] timestep) => (float[batch,4,8,8] y) { y = Add (sample, timestep) }"""
    assert chosen(tmp_path, text).dims == {"sample:0": 1, "timestep:0": 1}


@pytest.mark.parametrize("channels", ["4", "16"])
def test_states_are_as_large_as_what_takes_their_place(tmp_path: Path, channels: str) -> None:
    text = STATE.replace("CHANNELS", channels).replace("BEFORE", "Add")
    sizes = chosen(tmp_path, text)
    assert [sizes.dims[f"{name}:2"] for name in ("x", "r1i", "r2i")] == [640, 320, 160]
    assert "height and width of 'x' are 640" in sizes.assumptions[-1]
    given = chosen(tmp_path, text, h=96, w=64)
    assert [given.dims[f"{name}:3"] for name in ("x", "r1i", "r2i")] == [64, 32, 16]
    named = chosen(tmp_path, text, h=96, w=64, h2=48, w2=32)
    assert [named.dims[f"{name}:3"] for name in ("x", "r1i", "r2i")] == [64, 32, 16]


def test_a_state_that_is_not_broadcast_has_the_size_that_is_inferred(tmp_path: Path) -> None:
    stacked = STATE.replace("CHANNELS", "1").replace("BEFORE (mean, r1i)", "Concat <axis = 0> (mean, r1i)")
    text = stacked.replace("r1o = Concat", "both = Concat").replace("pha = Identity (mean)", SHARED)
    sizes = chosen(tmp_path, text.replace("BEFORE", "Add"), h=96, w=64)
    assert [sizes.dims[f"r1i:{axis}"] for axis in (2, 3)] == [48, 32]


def test_a_model_that_is_slow_takes_the_smallest(tmp_path: Path) -> None:
    with patch.object(try_sizes, "_SLOW_SECONDS", 0):
        assert chosen(tmp_path, FREE % "n,3,h,w").dims["x:2"] == SIDES[-1]


def test_a_busy_machine_chooses_the_same_size(tmp_path: Path) -> None:
    clock = SimpleNamespace(process_time=time.process_time, monotonic=count(step=100).__next__)
    with patch.object(try_sizes, "time", clock):
        assert chosen(tmp_path, FREE % "n,3,h,w").dims["x:2"] == SIDES[0]


def test_no_other_side_is_tried_after_a_time(tmp_path: Path) -> None:
    with patch.object(try_sizes, "_SECONDS", 0):
        assert chosen(tmp_path, FREE % "n,3,h,w").dims["x:2"] == SIDES[-1]


def test_where_no_side_runs_each_is_asked_for(tmp_path: Path) -> None:
    with pytest.raises(WebbuildError, match=r"axis 2 .h.: --dim h=N") as caught:
        chosen(tmp_path, ONE_SIDE % (3 * 7 * 7))
    assert caught.value.code == "unknown-dimension"


def test_a_model_that_does_not_load_is_refused_for_that(tmp_path: Path) -> None:
    """No size is asked for: converters to float16 leave a Cast that native ONNX Runtime rejects."""
    model = FREE.replace("float[a,b,c,d] y) {", "float[a,b,c,d] y) { w = Cast <to = 10> (x)").replace("(x) }", "(w) }")
    with pytest.raises(WebbuildError) as caught:
        chosen(tmp_path, model % "n,m,s,t,u")
    assert caught.value.code == "reference-session-failed"


@pytest.mark.parametrize("shape", ["n,2,h,w", "n,1,s,s", "n,3,h,7", "n,h,w"])
def test_what_does_not_look_like_a_picture_gets_the_first_length_that_runs(tmp_path: Path, shape: str) -> None:
    sizes = chosen(tmp_path, FREE % shape)
    axes = [f"x:{axis}" for axis, name in enumerate(shape.split(",")) if name in ("h", "w", "s")]
    assert {sizes.dims[axis] for axis in axes} == {LENGTHS[0]}
    assert "at which native ONNX Runtime runs; change it with --dim" in sizes.assumptions[-1]


def test_a_length_that_the_model_needs_is_found(tmp_path: Path) -> None:
    assert chosen(tmp_path, ONE_LENGTH % 512).dims["x:1"] == 512
    with pytest.raises(WebbuildError, match=r"--dim tokens=N"):
        chosen(tmp_path, ONE_LENGTH % 77)
    assert chosen(tmp_path, ONE_LENGTH % 77, tokens=77).dims["x:1"] == 77


@pytest.mark.parametrize(("frame", "length"), [(128, 512), (16_000, 16_000)])
def test_a_length_at_which_an_output_is_nan_is_the_last_choice(tmp_path: Path, frame: int, length: int) -> None:
    assert chosen(tmp_path, DEVIATION % frame).dims["x:1"] == length


@pytest.mark.parametrize(("frame", "length"), [(32, 128), (128, 512)])
def test_a_length_at_which_nothing_is_zero_is_preferred(tmp_path: Path, frame: int, length: int) -> None:
    """Frames minus their mean, as at the end of speech preprocessing, are zero for one frame."""
    text = f"""<ir_version: 8, opset_import: ["" : 18]>
    centred (float[1,samples] x) => (float[m,n] y) <int64[2] frames = {{-1, {frame}}}, int64[1] first = {{0}}> {{
        f = Reshape (x, frames) mean = ReduceMean (f, first) y = Sub (f, mean) }}"""
    assert chosen(tmp_path, text).dims["x:1"] == length


def test_a_number_that_is_named_as_a_length_is_the_whole_length(tmp_path: Path) -> None:
    """With a random length of 0 or 1, nothing is left of the sound after the first frame."""
    text = """<ir_version: 8, opset_import: ["" : 18]>
    masked (float[1,samples] sound, int64[1] sound_lens) => (float[1,n] y) <int64[2] frames = {-1, 128}, int64[1]
      axis = {1}, int64 zero = {0}, int64 step = {1}, int64[1] first = {0}, int64[1] one = {1}, int64[1] huge = {99}> {
        size = Shape <start = 1> (sound) count = Squeeze (size) places = Range (zero, count, step)
        inside = Less (places, sound_lens) mask = Cast <to = 1> (inside) kept = Mul (sound, mask)
        f = Reshape (kept, frames) rest = Slice (f, one, huge, first) y = ReduceSum (rest, first) }"""
    assert chosen(tmp_path, text).dims["sound:1"] == 512


def test_a_length_at_which_only_padding_runs_is_the_last_choice(tmp_path: Path) -> None:
    proto = parsed(POSITIONS)
    proto.graph.initializer.append(onnx.numpy_helper.from_array(weights(44, 2), "table"))
    source = load_onnx(save(proto, tmp_path / "m.onnx"))
    assert choose_sizes(source, {}, lambda: NativeRunner(source.path)).dims["ids:1"] == 64


@pytest.mark.parametrize(("large", "small", "length"), [(512, 64, 512), (64, 512, 512), (64, 3, 128), (3, 64, 128)])
def test_a_length_runs_with_each_value_of_a_compared_number_if_there_is_one(
    tmp_path: Path, large: int, small: int, length: int
) -> None:
    assert chosen(tmp_path, RATES % (large, small)).dims["x:1"] == length


def test_what_is_called_total_counts_past_and_present(tmp_path: Path) -> None:
    sizes = chosen(tmp_path, CACHE)
    assert (sizes.dims["past:1"], sizes.dims["ids:1"], sizes.dims["mask:1"]) == (128, 128, 256)


def test_an_attention_mask_counts_what_is_remembered_whatever_its_axis_is_called(tmp_path: Path) -> None:
    text = CACHE.replace("total_length", "s53").replace("past_length", "s15").replace("mask", "attention_mask")
    sizes = chosen(tmp_path, text)
    assert (sizes.dims["past:1"], sizes.dims["ids:1"], sizes.dims["attention_mask:1"]) == (128, 128, 256)


@pytest.mark.parametrize(
    ("shape", "first"),
    [
        ("s77,s41", 1),
        ("s77,2,3", 1),
        ("s77,3", LENGTHS[0]),
        ("unk__7,32,9", 1),
        ("unk__7,2048", 1),
        ("unk__7", LENGTHS[0]),
        ("x_dynamic_axes_1,2,x_dynamic_axes_2", 1),
    ],
)
def test_a_numbered_first_axis_is_a_batch_unless_it_is_all_there_is(tmp_path: Path, shape: str, first: int) -> None:
    text = f"""<ir_version: 8, opset_import: ["" : 18]>
    numbered (float[{shape}] x) => (float[{shape}] y) {{ y = Neg (x) }}"""
    assert chosen(tmp_path, text).dims["x:0"] == first


CONV = """<ir_version: 8, opset_import: ["" : 18]>
    conv (float[n,%s,h,w] x) => (float[n,2,h,w] y) { y = Conv <group = %d> (x, weight) }"""


def convolution_of(path: Path, name: str, inputs: int, group: int = 1) -> OnnxModel:
    proto = parsed(CONV % (name, group))
    proto.graph.initializer.append(onnx.numpy_helper.from_array(weights(2, inputs, 1, 1), "weight"))
    return load_onnx(save(proto, path / "conv.onnx"))


@pytest.mark.parametrize(
    ("name", "inputs", "group", "said"),
    [("num_channels", 1, 1, 1), ("latent_channels", 4, 1, 1), ("c", 2, 2, 1), ("num_channels", 3, 1, 0)],
)
def test_free_channels_are_those_of_the_convolution(
    tmp_path: Path, name: str, inputs: int, group: int, said: int
) -> None:
    source = convolution_of(tmp_path, name, inputs, group)
    sizes = choose_sizes(source, {}, lambda: NativeRunner(source.path))
    assert sizes.dims["x:1"] == inputs * group
    assert sum("channels, as its Conv takes" in each for each in sizes.assumptions) == said


@pytest.mark.parametrize("given", ["c", "x:1"])
def test_given_channels_are_not_those_of_the_convolution(tmp_path: Path, given: str) -> None:
    source = convolution_of(tmp_path, "c", 1)
    sizes = choose_sizes(source, {given: 2, "h": 8, "w": 8}, lambda: NativeRunner(source.path))
    assert sizes.dims["x:1"] == 2


def test_what_is_given_is_not_tried(tmp_path: Path) -> None:
    assert chosen(tmp_path, FREE % "n,3,h,w", h=33, w=65).dims == {"x:0": 1, "x:2": 33, "x:3": 65}


def test_a_mask_of_the_same_names_gets_the_same_size(tmp_path: Path) -> None:
    text = """<ir_version: 8, opset_import: ["" : 18]>
    masked (float[n,3,h,w] x, float[n,h,w] mask) => (float[n,3,h,w] y) <int64[1] axis = {1}>
    { m = Unsqueeze (mask, axis) y = Mul (x, m) }"""
    sizes = chosen(tmp_path, text)
    assert sizes.dims["mask:1"] == sizes.dims["mask:2"] == SIDES[0]


def test_a_given_size_at_which_native_fails_is_an_error_that_says_so(tmp_path: Path) -> None:
    source = load_onnx(save(parsed(ONE_SIDE % (3 * 8 * 8)), tmp_path / "m.onnx"))
    runner = NativeRunner(source.path)
    fits, given = ResolvedDims({"x:0": 1, "x:2": 8, "x:3": 8}, ()), {"h": 8, "w": 8}
    check_given_sizes(source, fits, given, runner)
    with pytest.raises(WebbuildError, match=r"the model does not run at this size.*--dim h=9") as caught:
        check_given_sizes(source, ResolvedDims({**fits.dims, "x:2": 9}, ()), {**given, "h": 9}, runner)
    assert (caught.value.code, caught.value.exit_code) == ("size-fails", USAGE)


@pytest.mark.parametrize(
    ("given", "works"),
    [
        ({"h": 481, "w": 641}, "--dim h=480 --dim w=640 works"),
        ({"h": 500, "w": 640}, "--dim h=512 --dim w=640 works"),
        ({"h": 7, "w": 9}, "give sizes that the model can take"),
    ],
)
def test_the_nearest_size_that_works_is_named(tmp_path: Path, given: dict[str, int], works: str) -> None:
    source = load_onnx(save(parsed(TILES), tmp_path / "m.onnx"))
    with pytest.raises(WebbuildError, match="the model does not run at this size") as caught:
        check_given_sizes(source, resolve_dims(source.signature, given), given, NativeRunner(source.path))
    assert works in caught.value.fix


def test_no_size_is_named_that_fails_too(tmp_path: Path) -> None:
    source = load_onnx(save(parsed(ONE_SIDE % (3 * 100 * 100)), tmp_path / "m.onnx"))
    given = {"h": 101, "w": 100}
    with pytest.raises(WebbuildError, match="the model does not run at this size") as caught:
        check_given_sizes(source, resolve_dims(source.signature, given), given, NativeRunner(source.path))
    assert "works" not in caught.value.fix


def test_pack_stops_at_such_a_size(tmp_path: Path) -> None:
    text = """<ir_version: 8, opset_import: ["" : 18]>
    halves (float[n,3,h,w] x) => (float[n,3,h2,w] y) { a, b = Split <axis = 2, num_outputs = 2> (x) y = Add (a, b) }"""
    path = save(parsed(text), tmp_path / "m.onnx")
    done = webbuild("pack", path, "-o", tmp_path / "out", "--no-verify", "--dim", "h=9", "--dim", "w=8")
    assert done.error == "size-fails"
    assert "WILL FAIL" not in done.stderr
    done = webbuild("pack", path, "-o", tmp_path / "out", "--no-verify")
    assert done.code == 0, done.stderr
    assert f"height and width of 'x' are {SIDES[0]}" in done.stderr + done.stdout


def test_a_given_size_beyond_memory_is_named_as_such(tmp_path: Path) -> None:
    path = save(parsed(FREE % "n,3,h,w"), tmp_path / "m.onnx")
    done = webbuild("pack", path, "-o", tmp_path / "out", "--no-verify", "--dim", "h=100000", "--dim", "w=100000")
    assert done.error == "input-too-large"


def test_a_sample_has_the_sizes_that_nothing_else_gives(tmp_path: Path) -> None:
    file = tmp_path / "sample.npz"
    np.savez(file, past=np.ones((1, 5)), ids=np.ones((1, 7)), mask=np.ones((1, 12)), other=np.ones(3))
    source = load_onnx(save(parsed(CACHE), tmp_path / "m.onnx"))
    sizes = choose_sizes(source, {"batch_size": 1}, lambda: NativeRunner(source.path), [tmp_path / "a.jpg", file])
    assert (sizes.dims["past:1"], sizes.dims["ids:1"]) == (5, 7)
    assert sizes.dims["mask:1"] == 12
    assert "'past_length' is 5, 'length' is 7, 'total_length' is 12, as in the sample" in sizes.assumptions


def test_a_sample_of_another_rank_gives_no_size(tmp_path: Path) -> None:
    file = tmp_path / "sample.npz"
    np.savez(file, x=np.ones((3, 64)))
    source = load_onnx(save(parsed(FREE % "n,3,h,w"), tmp_path / "m.onnx"))
    sizes = choose_sizes(source, {}, lambda: NativeRunner(source.path), [file])
    assert sizes.dims["x:2"] == SIDES[0]


def test_patch_takes_the_sizes_of_a_sample(tmp_path: Path) -> None:
    np.savez(tmp_path / "s.npz", x=np.ones((1, 12), np.float32))
    path, out = save(parsed(ONE_LENGTH % 12), tmp_path / "m.onnx"), tmp_path / "out"
    done = webbuild("patch", path, "--sample", tmp_path / "s.npz", "-o", out)
    assert done.code == 0, done.stderr
    assert list(load_onnx(next(out.glob("*.onnx"))).signature.inputs[0].shape) == [1, 12]
