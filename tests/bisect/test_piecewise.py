"""A quantized network in which a value rounds the other way is judged node by node: only wrong kernels are reported."""

from __future__ import annotations

from pathlib import Path

import msgspec
import numpy as np
import pytest

from tests.bisect.generated import SIZE
from tests.bisect.looking import looked
from tests.bisect.looking import subject as made_subject
from tests.bisect.planted import Fault, constant
from tests.models import HEADER, parsed
from webbuild.bisect.model_under_test import BisectInput
from webbuild.bisect.piecewise import agreeing_values

SHAPE = f"float[{SIZE},{SIZE}]"
QUANTIZED = f"""{HEADER} g ({SHAPE} x) => ({SHAPE} y) <float s = {{1}}, uint8 z = {{0}}, float thousand = {{1000}}> {{
  a = Abs (x)
  q = QuantizeLinear (a, s, z)
  b = DequantizeLinear (q, s, z)
  c = Mul (b, thousand)
  y = Sin (c)
}}"""


@pytest.mark.parametrize(("factor", "blamed"), [(1 + 1e-6, "error-accumulation"), (1.03, "node-mismatch")])
def test_a_turned_rounding_is_no_wrong_node(factor: float, blamed: str, tmp_path: Path) -> None:
    tie = np.arange(SIZE * SIZE, dtype=np.float32).reshape(SIZE, SIZE)
    tie[0, 2] = 2.5  # rounds to 2; a slightly larger value rounds to 3
    subject = made_subject(parsed(QUANTIZED), tmp_path)
    subject = msgspec.structs.replace(subject, inputs=(BisectInput("a tie", {"x": tie}),))
    report, _, _ = looked(subject, tmp_path / "search", Fault(0, constant(factor)))
    assert report.whole_graph_verdict == "differs"
    assert {each.code for each in report.findings} == {blamed}
    assert bool(agreeing_values(report)) is (blamed == "error-accumulation")
