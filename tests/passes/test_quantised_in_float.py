"""Quantised operators on the default entry's build, whose CPU kernels are right as they are."""

from __future__ import annotations

import pytest

from tests.models import as_ir
from webbuild.passes._base import Options
from webbuild.passes.quantised_in_float import QuantisedInFloat
from webbuild.targets.table import table
from webbuild.targets.target import parse

MODEL = """<ir_version: 8, opset_import: ["" : 17]> g (uint8[2,3] x, uint8[3,4] w) => (int32[2,4] y)
{ y = MatMulInteger (x, w) }"""


@pytest.mark.parametrize(("target", "rewritten"), [("1.30.0-webgpu", True), ("1.30.0-jsep", False)])
def test_only_the_native_build_computes_them_in_float(target: str, rewritten: bool) -> None:
    model = as_ir(MODEL)
    edits = QuantisedInFloat().apply(model, Options(table=table(parse(target))))
    assert any(edit.done for edit in edits) == rewritten
