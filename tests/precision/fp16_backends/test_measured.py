"""Single operators: the emulation rounds as float16 does, and the page shows its difference from a real GPU."""

from __future__ import annotations

from functools import cache

import msgspec
import numpy as np
import pytest

from benchmarks.fp16.__main__ import PAGE, STORE
from benchmarks.fp16.measure import emulated, measure, relative_error
from benchmarks.fp16.operators import operators
from benchmarks.fp16.report import Fp16Measurement, render_page
from benchmarks.fp16.tolerance import KNOWN_DIFFERENCES, ROUNDING, accumulation_length, tolerance

CASES = operators()


@cache
def error(index: int) -> float | str:
    """Return the emulation's error against float32 for a case."""
    (found,) = measure(CASES[index : index + 1], {"emulated": emulated})
    return found.off("emulated")


@pytest.mark.parametrize("index", range(len(CASES)), ids=[case.name for case in CASES])
def test_the_emulation_is_one_rounding_from_float32(index: int) -> None:
    figure = error(index)
    assert not isinstance(figure, str), figure
    assert figure <= ROUNDING * (0 if tolerance(CASES[index]) == 0 else 1.001)


def test_the_emulation_rounds_at_all() -> None:
    rounding = [error(index) for index, case in enumerate(CASES) if tolerance(case) > 0]
    assert sum(figure > ROUNDING / 4 for figure in rounding if not isinstance(figure, str)) > len(rounding) / 2


def test_the_page_is_what_was_measured() -> None:
    found = msgspec.json.decode(STORE.read_bytes(), type=Fp16Measurement)
    assert PAGE.read_text("utf-8") == render_page(found)
    assert {row.name for row in found.operators} == {case.name for case in CASES}


def test_every_way_to_compute_was_measured_and_agrees_but_for_what_is_explained() -> None:
    found = msgspec.json.decode(STORE.read_bytes(), type=Fp16Measurement)
    assert {"emulated", "native", "Dawn on lavapipe"} <= set(found.operators[0].float32_error)
    assert {row.name for row in found.operators if not row.agrees} == set(KNOWN_DIFFERENCES)


def test_a_number_apart_from_none_is_infinitely_far() -> None:
    one, none = np.array([1.0]), np.array([np.nan])
    assert relative_error(one, none, one) == relative_error(np.array([np.inf]), one, one) == np.inf
    assert relative_error(none, none, one) == 0
    assert relative_error(np.array([1.5]), one, np.array([2.0])) == 0.25


def test_what_an_operator_sums() -> None:
    counted = {case.name: accumulation_length(case) for case in CASES}
    assert counted["Conv, 2304 products"] == 2304
    assert counted["MatMul, 4096 products"] == 4096
    assert counted["Conv, grouped"] == 36
    assert counted["Sigmoid"] == 1
