"""The estimate for float16: bytes, constants out of range, operators without a kernel."""

from __future__ import annotations

from tests.models import as_ir
from webbuild.inspection.fp16_estimate import Fp16Estimate
from webbuild.inspection.inspect import inspect
from webbuild.inspection.text import fp16_summary
from webbuild.targets.table import KernelPlacements, KernelTable, load_table
from webbuild.targets.target import Target

HEADER = '<ir_version: 8, opset_import: ["" : 17]>'
WEBGPU = load_table(Target("1.30.0", "webgpu"))


def half_of(text: str, known: KernelTable = WEBGPU) -> Fp16Estimate | None:
    return inspect("model", as_ir(f"{HEADER} {text}"), known, {}).fp16


def test_constants_beyond_the_range_are_named_and_those_at_its_end_are_not() -> None:
    found = half_of("""g (float[2] x) => (float[2] y)
      <float[2] big = {1, 70000}, float[2] low = {-70000, 1}, float[2] end = {65504, -65504}> {
      a = Add (x, big) b = Mul (a, low) y = Mul (b, end) }""")
    assert found == Fp16Estimate(24, ("big", "low"), (), {})


def test_an_epsilon_that_becomes_zero_is_named() -> None:
    found = half_of("""g (float[2] x) => (float[2] y) <float e = {1e-9}, float f = {1e-6}> {
      a = Add (x, e) y = Add (a, f) }""")
    assert found is not None
    assert (found.overflowing_constants, found.underflowing_constants) == ((), ("e",))


def test_infinity_is_one_in_float16_too_and_hides_no_large_number_beside_it() -> None:
    masks = half_of("g (float[2] x) => (float[2] y) <float[2] m = {0, -inf}> { y = Add (x, m) }")
    assert masks == Fp16Estimate(8, (), (), {})
    both = half_of("g (float[2] x) => (float[2] y) <float[2] m = {-1e9, -inf}> { y = Add (x, m) }")
    assert both == Fp16Estimate(8, ("m",), (), {})


def test_operators_without_a_kernel_for_it_are_counted() -> None:
    rows: KernelPlacements = {
        "Exp": {"13": {"gpu": ["float", "float16"]}},
        "Neg": {"13": {"gpu": ["float"], "cpu": ["float16"]}},
    }
    known = KernelTable(target=Target("0.0.1", "webgpu"), measured="", adapter="", browser="", kernels=rows)
    found = half_of("g (float[2] x) => (float[2] y) { a = Neg (x) b = Exp (a) y = Neg (b) }", known)
    assert found == Fp16Estimate(0, (), (), {"Neg": 2})


def test_a_model_of_whole_numbers_has_nothing_to_gain() -> None:
    assert half_of("g (int32[2] x) => (int32[2] y) { y = Add (x, x) }") is None


def test_the_line_names_what_is_in_the_way() -> None:
    names = tuple(f"w{index}" for index in range(5))
    assert fp16_summary(Fp16Estimate(2000, names, ("e",), {"Neg": 2})) == (
        "float16: 1.0 kB less to load, on devices with shader-f16; beyond float16's range: 'w0', 'w1', 'w2' and 2 "
        "more; would become 0: 'e'; no float16 kernel for 2 Neg; "
        "webbuild pack --precision auto converts what keeps the results"
    )
