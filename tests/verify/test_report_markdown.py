"""The report as Markdown: a table of the backends, the failures, and no markup from a model."""

from __future__ import annotations

from tests.verify.detections_made import PROBLEM, backend, comparison, report
from webbuild.browser.open_browser import Endpoint
from webbuild.errors import WebbuildError
from webbuild.verify.multi_endpoint_report import collect_reports
from webbuild.verify.report import VerifyReport
from webbuild.verify.report_markdown import render_markdown


def rendered(*found: VerifyReport | WebbuildError) -> str:
    endpoints = [Endpoint()] if len(found) == 1 else [Endpoint(f"ws://{index}:1") for index in range(len(found))]
    return render_markdown(collect_reports(endpoints, found))


def test_a_bundle_that_is_right_is_a_sentence_and_a_table() -> None:
    text = rendered(report(backend(comparison()), backend(comparison(), backend="wasm", adapter="")))
    head, sentence, table = text.strip().split("\n\n")
    assert head == "### YOLO pose: same results"
    assert sentence.startswith("WebGPU and WASM agree with native ONNX Runtime")
    titles, line, webgpu, wasm = table.splitlines()
    assert titles == "| adapter | browser | backend | answers | of its tolerance | a run |"
    assert line == "| --- | --- | --- | --- | --- | --- |"
    assert webgpu.split(" | ")[2:] == ["WebGPU", "same", "2 %", "2.0 ms |"]
    assert wasm.split(" | ")[2:4] == ["WASM", "same"]


def test_what_failed_is_named_with_its_fix() -> None:
    text = rendered(report(backend(comparison("DIFFERS", reason="too-far"), problems=(PROBLEM,))))
    assert text.startswith("### YOLO pose: not the same")
    assert "| differ |" in text
    assert f"\n- error&#91;{PROBLEM.code}&#93; Chromium here" in text
    assert "<br>fix: " in text
    assert "\n- DIFFERS Chromium here, WebGPU, street, decoded box: differs by 0.01, more than 0.5" in text


def test_a_browser_that_was_not_reached_is_a_row() -> None:
    text = rendered(report(backend(comparison())), WebbuildError("cannot-connect", "ws://1:1: refused", "start it"))
    assert text.startswith("### YOLO pose: 1 of 2 browsers give the same results")
    assert "|  | ws://1:1 |  | not reached |  |  |" in text
    assert "- error&#91;cannot-connect&#93; ws://1:1: ws://1:1: refused<br>fix: start it" in text
    assert "### webbuild verify: 0 of 1" in rendered(WebbuildError("no-chromium", "none", "install one"))


def test_nothing_that_a_model_says_is_markup() -> None:
    hostile = "<img src=x>|[a](javascript:b)`c`*d*_e_\n# f ![g]"
    text = rendered(report(backend(comparison(), adapter=hostile), title=hostile))
    for markup in ("<img", "](", "`", "*", "_e_", "![", "\n# f"):
        assert markup not in text
    assert all(row.count(" | ") == 5 for row in text.splitlines() if row.startswith("| "))
