"""Findings before and after the patches."""

from __future__ import annotations

from typing import Any

import onnx_ir as ir
import pytest

from tests.models import as_ir
from webbuild.inspection import before_after
from webbuild.inspection.before_after import BeforeAfter, inspect_before_after
from webbuild.inspection.cpu_fallback import apply_cpu_fallback
from webbuild.inspection.finding import Finding
from webbuild.inspection.inspect import inspect
from webbuild.inspection.result import Inspection
from webbuild.passes.base import PassOptions
from webbuild.passes.lower import lower
from webbuild.targets.table import load_table
from webbuild.targets.target import Target

NATIVE = Target("1.30.0", "webgpu")


def test_what_the_passes_mend_is_found_before_and_not_after() -> None:
    given = as_ir(
        """<ir_version: 8, opset_import: ["" : 17]> g (float[1,6,9,9] x, float[12,3,3,3] w) => (float[1,12,7,7] y)
        <float[1] k = {2}> { a = Mul (x, k) b = Round (a) y = Conv <group = 2> (b, w) }"""
    )
    patched = lower(given, PassOptions(table=load_table(NATIVE))).graphs["webgpu"]
    found = inspect_before_after(given, patched, NATIVE, {})
    assert found is not None
    assert {finding.code for finding in found.before} == {"grouped-conv-misaligned", "no-gpu-kernel", "cpu-partition"}
    assert {finding.fixed_by for finding in found.before} == {("split-grouped-conv",), ("decompose-rounding",), ()}
    assert found.after == ()
    assert not found.fails
    assert found.summary_lines()[-1] == "3 findings on WebGPU, none left; GPU memory 7.5 kB -> 11.5 kB"


def test_what_is_left_is_found_after_too() -> None:
    given = as_ir(
        """<ir_version: 8, opset_import: ["" : 17]> g (float[1,4,8,8] x, float[4,4,3,3] w) => (float[1,4,6,6] y)
        { a = Conv (x, w) b = Relu (a) y = Sigmoid (b) }"""
    )
    found = inspect_before_after(given, given.clone(), NATIVE, {})
    assert found is not None
    assert [finding.code for finding in found.after] == ["double-activation-fusion"]
    assert found.fails
    assert found.summary_lines()[0].startswith("WILL FAIL on WebGPU [double-activation-fusion]")
    assert found.summary_lines(disabled=True)[0].startswith("would fail on WebGPU [double-activation-fusion]")


def test_a_graph_that_was_inspected_is_not_inspected_again(monkeypatch: pytest.MonkeyPatch) -> None:
    given = as_ir('<ir_version: 8, opset_import: ["" : 17]> g (float[4] x) => (float[4] y) { y = Round (x) }')
    planned = lower(given, PassOptions(table=load_table(NATIVE))).graphs["webgpu"]
    known = apply_cpu_fallback(planned, load_table(NATIVE)).inspection
    want = inspect_before_after(given, planned, NATIVE, {})
    seen: list[ir.Model] = []

    def noting(file: str, model: ir.Model, *others: Any) -> Inspection:
        seen.append(model)
        return inspect(file, model, *others)

    monkeypatch.setattr(before_after, "inspect", noting)
    assert inspect_before_after(given, planned, NATIVE, {}, known) == want
    assert seen == [given]


def test_the_kinds_of_what_is_slow_are_named() -> None:
    slow = [
        Finding(code=code, severity="warning", outcome=None, where="", summary="", reason="", fix="")
        for code in "abbcccd"
    ]
    assert BeforeAfter("t", tuple(slow), tuple(slow), fails=False).summary_lines() == [
        "7 findings on WebGPU, 0 errors and 7 warnings left (c 3, b 2, a 1)"
    ]


def test_nothing_is_said_of_a_target_that_was_not_measured() -> None:
    given = as_ir('<ir_version: 8, opset_import: ["" : 17]> g (float[4] x) => (float[4] y) { y = Relu (x) }')
    assert inspect_before_after(given, given, Target("0.1", "webgpu"), {}) is None


def test_too_much_memory_is_a_warning_of_its_own_with_its_fix() -> None:
    given = as_ir(
        """<ir_version: 8, opset_import: ["" : 17]> g (float[1,24,2048,2048] x) => (float[1,24,2048,2048] y) {
        a = Relu (x) y = Sigmoid (a) }"""
    )
    found = inspect_before_after(given, given.clone(), NATIVE, {})
    assert found is not None
    warning, fix, last = found.summary_lines()
    assert warning.startswith("WARNING [gpu-memory] Sigmoid 'y': needs 1.21 GB on the GPU: 0 B of weights, 1.21 GB of")
    assert "--size" in fix
    assert last.endswith("(storage-buffer-size 2, gpu-memory 1); GPU memory 1.21 GB")


def test_more_than_a_phone_gives_a_page_on_wasm_is_a_warning_of_its_own() -> None:
    given = as_ir(
        """<ir_version: 8, opset_import: ["" : 17]> g (float[1,32,2048,2048] x) => (float[1,32,2048,2048] y) {
        a = Relu (x) y = Sigmoid (a) }"""
    )
    found = inspect_before_after(given, given.clone(), NATIVE, {})
    assert found is not None
    lines = found.summary_lines()
    (at,) = [index for index, line in enumerate(lines) if "[wasm-memory]" in line]
    assert lines[at].startswith("WARNING [wasm-memory] the model: needs 1.61 GB on WASM: 0 B of weights, 1.61 GB of")
    assert "--size" in lines[at + 1]
