"""The value range of an input is derived from the nodes that read it, and synthetic inputs stay within it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.commands.program import webbuild
from tests.models import as_ir, parsed, save
from webbuild.manifest.manifest import TensorInput
from webbuild.passes.analysis.input_ranges import InputRange, input_ranges
from webbuild.samples.random_inputs import random_inputs, random_tensor

SUPPRESSED = """<ir_version: 8, opset_import: ["" : 18]>
suppressed (float[1,20,4] boxes, float[1,3,20] scores, int64[1] most, float[1] iou, float[1] least) => (int64[n,3] y)
{ y = NonMaxSuppression (boxes, scores, most, iou, least) }"""


def bounds(inputs: str, body: str, weights: str = "") -> dict[str, tuple[float, float]]:
    model = as_ir(f'<ir_version: 8, opset_import: ["" : 18]> g ({inputs}) => (float[n] y) {weights} {{ {body} }}')
    return {name: (each.low, each.high) for name, each in input_ranges(model).items()}


@pytest.mark.parametrize(
    ("inputs", "body", "expected"),
    [
        ("float[5,2] t, int64[3] i", "y = Gather (t, i)", {"i": (0, 4)}),
        ("float[5,2] t, int64[3] i", "y = Gather <axis = 1> (t, i)", {"i": (0, 1)}),
        ("float[m,2] t, int64[3] i", "y = Gather (t, i)", {"i": (0, 0)}),
        ("float[5,2] t, int64[5,2] i", "y = GatherElements <axis = -1> (t, i)", {"i": (0, 1)}),
        ("float[5,2] t, int64[3,2] i", "y = GatherND (t, i)", {"i": (0, 1)}),
        ("float[5] t, float[3] f", "i = Cast <to = 7> (f) y = Gather (t, i)", {"f": (0, 4)}),
        ("float[5] t, int64 k", "o = ConstantOfShape (z) u = Unsqueeze (k, a) y, i = TopK (t, u)", {"k": (1, 5)}),
        ("float[2] x, int64[2] p", "y = Pad (x, p)", {"p": (0, 0)}),
        ("float[1,1,4,4] x, float[2] r", 'o = Concat <axis = 0> (r, r) y = Resize (x, "", o)', {"r": (0.5, 1)}),
        ("float[1,1,4,4] x, float[4] r", 'y = Resize (x, "", r)', {"r": (1, 1)}),
        ("float[5] t, float[3] u, int64[2] i", "a = Gather (t, i) b = Gather (u, i) y = Add (a, b)", {"i": (0, 2)}),
        ("float[2] x, bool b", "n = Not (b) y = Neg (x)", {}),
        ("float[2] x, float[2] z", "y = Div (x, z)", {}),
    ],
)
def test_what_reads_an_input_bounds_it(inputs: str, body: str, expected: dict[str, tuple[float, float]]) -> None:
    assert bounds(inputs, body) == expected


def test_an_index_of_a_one_hot_is_below_its_depth() -> None:
    body, weights = "y = OneHot (i, d, v)", "<int64 d = {10}, float[2] v = {0, 1}>"
    assert bounds("int64[4] i", body, weights) == {"i": (0, 9)}


@pytest.mark.parametrize(
    ("given", "body", "values"),
    [
        ("int64 rate", "c = Equal (rate, k)", (16000, 0)),
        ("int64[1] rate", "s = Squeeze (rate) c = Equal (k, s)", (16000, 0)),
        ("int64 rate", "c = Equal (rate, k) d = Equal (rate, none) e = And (c, d)", (16000, 0, 1)),
        ("int64 rate", "f = Cast <to = 1> (rate) c = Equal (f, kf)", (16000, 0)),
        ("int64[2] rate", "c = Equal (rate, k)", ()),
        ("int64 rate", "c = Greater (rate, k)", ()),
    ],
)
def test_a_number_that_is_compared_has_each_of_the_constants_and_another_value(
    given: str, body: str, values: tuple[float, ...]
) -> None:
    weights = "<int64 k = {16000}, int64 none = {0}, float kf = {16000}>"
    text = f'<ir_version: 8, opset_import: ["" : 18]> g ({given}) => (bool c) {weights} {{ {body} }}'
    ranges = input_ranges(as_ir(text))
    assert ranges.get("rate") == (InputRange(min(values), max(values), "Equal", values) if values else None)
    spec = TensorInput(name="rate", dtype="int64", shape=[])
    drawn = [feeds["rate"].item() for _, feeds in random_inputs([spec], ranges)]
    assert not values or set(drawn) == set(values)


def test_the_values_of_a_compared_number_are_in_its_text() -> None:
    assert str(InputRange(0, 16000, "Equal", (16000, 0))) == "16000 or 0, for Equal"


def test_a_branch_that_reads_an_input_bounds_it() -> None:
    body = """y = If (c) <then_branch = a () => (float[2] p) { p = Gather (t, i) },
    else_branch = b () => (float[2] q) { q = Gather (t, i) }>"""
    assert bounds("bool c, float[7] t, int64[2] i", body) == {"i": (0, 6), "c": (0, 1)}


def test_made_up_numbers_lie_in_the_range_and_use_all_of_it() -> None:
    spec = TensorInput(name="i", dtype="int64", shape=[200])
    ranges = {"i": InputRange(0, 9, "OneHot")}
    drawn = [feeds["i"] for _, feeds in random_inputs([spec], ranges)]
    assert [(each.min(), each.max()) for each in drawn] == [(0, 9)] * len(drawn)
    wide = random_tensor(TensorInput(name="i", dtype="float32", shape=[200]), 0, {"i": InputRange(0.5, 1, "Resize")})
    assert wide.dtype == np.float32
    assert 0.5 <= wide.min() < 0.6 < 0.9 < wide.max() <= 1


def test_a_model_that_refuses_other_thresholds_packs_and_the_output_says_which(tmp_path: Path) -> None:
    path = save(parsed(SUPPRESSED), tmp_path / "m.onnx")
    done = webbuild("pack", path, "-o", tmp_path / "out", "--no-verify", "--nms", "keep")
    assert done.code == 0, done.stderr
    assert "random values of 'iou': 0 to 1, for NonMaxSuppression" in done.stderr + done.stdout


@pytest.mark.parametrize(
    ("factor", "zeros"),
    [
        ("f = Gather (s, last)", {"s": (2,)}),
        ("g = Gather (s, second) u = Unsqueeze (g, axis) f = Cast <to = 1> (u)", {"s": (1,)}),
        ("f = Squeeze (one)", {"one": (0,)}),
        ("f = Identity (mask)", {}),
        ("g = Gather (s, last) f = Exp (g)", {}),
    ],
)
def test_numbers_that_scale_noise_are_found(factor: str, zeros: dict[str, tuple[int, ...]]) -> None:
    text = f"""<ir_version: 8, opset_import: ["" : 18]>
    g (float[4] x, float[3] s, float[1] one, float[4] mask) => (float[4] y)
    <int64[1] last = {{-1}}, int64 second = {{1}}, int64[1] axis = {{0}}>
    {{ r = RandomNormalLike (x) e = Exp (x) n = Mul (r, e) {factor} scaled = Mul (f, n) y = Add (x, scaled) }}"""
    found = {name: each.zeros for name, each in input_ranges(as_ir(text)).items() if each.zeros}
    assert found == zeros
    ranges = input_ranges(as_ir(text))
    drawn = random_tensor(TensorInput(name="s", dtype="float32", shape=[3]), 0, ranges)
    assert [index for index, value in enumerate(drawn) if value == 0] == list(zeros.get("s", ()))


@pytest.mark.parametrize(("condition", "draws"), [("c = Squeeze (cached)", [1, 0, 1]), ("c = Less (x, x)", None)])
def test_both_branches_of_an_if_run(condition: str, draws: list[int] | None) -> None:
    text = f"""<ir_version: 8, opset_import: ["" : 18]> g (bool[1] cached, float x) => (float y) {{
    {condition}
    y = If (c) <then_branch = a () => (float b) {{ b = Neg (x) }},
      else_branch = d () => (float e) {{ e = Exp (x) }}> }}"""
    ranges = input_ranges(as_ir(text))
    spec = TensorInput(name="cached", dtype="bool", shape=[1])
    assert ("cached" in ranges) is (draws is not None)
    if draws is not None:
        assert [int(random_tensor(spec, seed, ranges).item()) for seed in range(3)] == draws
