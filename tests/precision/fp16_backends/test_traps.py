"""Patterns in vision models that fail in float16: the error is visible, and the conversion keeps them in float32."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from benchmarks.fp16.case import Fp16Case
from benchmarks.fp16.measure import CaseResult, emulated
from benchmarks.fp16.report import LARGE_ERROR
from benchmarks.fp16.rows import convert_case
from benchmarks.fp16.traps import traps
from webbuild.precision.fp16_backends import EmulatedFp16, Fp16Backend
from webbuild.runners.native import NativeRunner

CASES = {case.name: case for case in traps()}
SPOILT = [
    "Softmax over 70000 alike, written out",
    "LayerNorm of numbers around 300, written out",
    "LayerNorm of numbers around 0.001, written out",
    "InstanceNorm of 128x128 numbers around 60, written out",
    "ReduceSum of 128x128",
    "Log of a Sigmoid",
    "Inverse of a Sigmoid",
    "Softmax of a mask of ones times -1e9",
]
"""Wrong wherever values are float16."""
INSIDE = [
    "LayerNorm of numbers around 30, written out",
    "ReduceMean of 128x128",
    "GlobalAveragePool of 128x128",
    "CumSum of 5000 ones",
    "ConvTranspose to 3000 columns",
]
"""Wrong inside a GPU's kernels: their sums or their positions are float16. The emulation does not detect it."""


@cache
def exact(name: str) -> Mapping[str, NDArray[Any]]:
    case = CASES[name]
    return NativeRunner(Path("trap.onnx"), case.model(np.float32).SerializeToString()).run(case.fed(np.float32))


def off(case: Fp16Case, found: Mapping[str, NDArray[Any]]) -> float:
    figure = CaseResult(case, exact(case.name), {}).apart_from_exact(found)
    assert not isinstance(figure, str), figure
    return figure


def off_converted(case: Fp16Case, arithmetic: Fp16Backend) -> float:
    (found,) = arithmetic.run(convert_case(case).model, [case.fed(np.float32)])
    return off(case, found)


@pytest.mark.parametrize("name", SPOILT)
def test_what_float16_spoils_is_spoilt_by_the_emulation(name: str) -> None:
    found = emulated(CASES[name])
    assert not isinstance(found, str), found
    assert off(CASES[name], found) > LARGE_ERROR


@pytest.mark.parametrize("name", CASES)
def test_what_the_conversion_makes_of_a_trap_is_right(name: str) -> None:
    assert off_converted(CASES[name], EmulatedFp16()) <= LARGE_ERROR


@pytest.mark.parametrize("name", [*SPOILT, *INSIDE])
def test_the_conversion_keeps_what_would_be_spoilt(name: str) -> None:
    assert convert_case(CASES[name]).fp32_reasons
