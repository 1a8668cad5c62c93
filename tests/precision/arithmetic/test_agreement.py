"""Single operators: the emulation rounds as float16 does, and a real GPU agrees within what its sums may lose."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from bench.half.__main__ import PAGE, STORE
from bench.half.bounds import EXPLAINED, ROUNDING, bound, terms
from bench.half.measured import apart, emulated, measure, on
from bench.half.operators import operators
from bench.half.page import Measurement, page
from webbuild.precision.arithmetic.engined import Engined

CASES = operators()
FEW = ("Conv", "MatMul", "Softmax", "LayerNormalization", "Sigmoid", "Resize, linear", "TopK")
"""What is run on a real GPU in every test; the page has all."""


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_emulation_is_one_rounding_from_float32(case: object) -> None:
    (found,) = measure([each for each in CASES if each is case], {"emulated": emulated})
    figure = found.off("emulated")
    assert not isinstance(figure, str), figure
    assert figure <= ROUNDING * (0 if bound(found.case) == 0 else 1.001)


def test_the_emulation_rounds_at_all() -> None:
    rounding = [found.off("emulated") for found in measure(CASES, {"emulated": emulated}) if bound(found.case) > 0]
    assert sum(figure > ROUNDING / 4 for figure in rounding if not isinstance(figure, str)) > len(rounding) / 2


@pytest.mark.parametrize("name", FEW)
def test_a_real_gpu_agrees_with_the_emulation(name: str, dawn: Engined) -> None:
    (case,) = (case for case in CASES if case.name == name)
    (found,) = measure([case], {"emulated": emulated, "real": on(dawn, {})})
    figure = found.between("real", "emulated")
    assert not isinstance(figure, str), figure
    assert figure <= bound(case)


def test_the_page_is_what_was_measured() -> None:
    found = msgspec.json.decode(STORE.read_bytes(), type=Measurement)
    assert PAGE.read_text("utf-8") == page(found)
    assert {row.name for row in found.operators} == {case.name for case in CASES}


def test_every_way_to_compute_was_measured_and_agrees_but_for_what_is_explained() -> None:
    found = msgspec.json.decode(STORE.read_bytes(), type=Measurement)
    assert {"emulated", "native", "Dawn on lavapipe"} <= set(found.operators[0].off)
    assert {row.name for row in found.operators if not row.agrees} == set(EXPLAINED)


def test_a_number_apart_from_none_is_infinitely_far() -> None:
    one, none = np.array([1.0]), np.array([np.nan])
    assert apart(one, none, one) == apart(np.array([np.inf]), one, one) == np.inf
    assert apart(none, none, one) == 0
    assert apart(np.array([1.5]), one, np.array([2.0])) == 0.25


def test_what_an_operator_sums() -> None:
    counted = {case.name: terms(case) for case in CASES}
    assert counted["Conv, 2304 products"] == 2304
    assert counted["MatMul, 4096 products"] == 4096
    assert counted["Conv, grouped"] == 36
    assert counted["Sigmoid"] == 1
