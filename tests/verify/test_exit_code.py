"""The exit code of a report: 0 requires evidence."""

from __future__ import annotations

import io

import msgspec
import pytest
from rich.console import Console

from tests.verify.detections_made import PROBLEM, backend, comparison, report
from webbuild.compare.comparison import ComparedOutput
from webbuild.manifest.manifest import task_union
from webbuild.verify import formatting
from webbuild.verify.report import VerifyReport, exit_code
from webbuild.verify.text import show_report

GOOD = comparison()


@pytest.mark.parametrize(
    ("judged", "wanted"),
    [
        (report(backend(GOOD)), 0),
        (report(backend(GOOD), backend(GOOD, backend="wasm")), 0),
        (report(backend(GOOD), backend(backend="webgpu fp16", skip_reason="no shader-f16")), 0),
        (report(backend(backend="webgpu fp16", skip_reason="no shader-f16")), 1),
        (report(), 1),
        (report(backend()), 1),
        (report(backend(GOOD), backend(backend="wasm")), 1),
        (report(backend(GOOD, results=())), 1),
        (report(backend(GOOD, comparison("DIFFERS"))), 1),
        (report(backend(GOOD, comparison("VACUOUS"))), 1),
        (report(backend(GOOD, problems=(PROBLEM,))), 1),
        (report(backend(GOOD), problems=(PROBLEM,)), 1),
        (
            report(backend(GOOD), checks=(comparison("DIFFERS", subject=ComparedOutput("native", "", "raw", "x")),)),
            1,
        ),
    ],
    ids=[
        "all the same",
        "both backends the same",
        "one graph that this adapter cannot run",
        "nothing that this adapter can run",
        "no backend",
        "nothing compared",
        "one backend compared nothing",
        "no samples",
        "a difference",
        "nothing against nothing",
        "a problem on a backend",
        "a problem of the bundle",
        "the reference is not what it was",
    ],
)
def test_exit_code(judged: VerifyReport, wanted: int) -> None:
    assert exit_code(judged) == wanted
    assert (formatting.verdict_text(judged)[0] == "same") == (wanted == 0)


def test_a_problem_beside_equal_answers_does_not_make_them_different() -> None:
    kind, headline, sentence = formatting.verdict_text(report(backend(GOOD, problems=(PROBLEM,))))
    assert (kind, headline) == ("problem", "Same results, 1 problem")
    assert sentence.startswith("1 comparison passed")
    assert formatting.verdict_text(report(backend(problems=(PROBLEM,))))[:2] == ("problem", "1 problem")


@pytest.mark.parametrize(
    ("judged", "most"),
    [(report(backend(GOOD)), 1), (report(backend(comparison("DIFFERS"))), 100)],
    ids=["all the same", "a difference"],
)
def test_in_brief_equal_answers_are_a_line_and_others_are_told_in_full(judged: VerifyReport, most: int) -> None:
    written, full = io.StringIO(), io.StringIO()
    show_report(judged, Console(file=written, width=80), brief=True)
    show_report(judged, Console(file=full, width=80))
    lines = written.getvalue().splitlines()
    assert len(lines) <= most
    assert (written.getvalue() == full.getvalue()) == (most > 1)
    assert lines[-1].startswith("verified: Same results. " if most == 1 else "Not the same. ")


def test_the_tables_say_what_their_numbers_are() -> None:
    written = io.StringIO()
    given = comparison(subject=ComparedOutput("webgpu", "bus", "input", "images"))
    show_report(report(backend(GOOD, given)), Console(file=written, width=100))
    text = written.getvalue()
    assert text.startswith("Largest differences from native ONNX Runtime")
    assert "input" in text.partition("Same results")[0].split()


def test_vacuous_has_a_verdict_of_its_own() -> None:
    assert formatting.verdict_text(report(backend(comparison("VACUOUS"))))[0] == "vacuous"
    assert formatting.verdict_text(report(backend(comparison("VACUOUS"), comparison("DIFFERS"))))[0] == "different"


def test_the_report_survives_json() -> None:
    judged = report(backend(GOOD, comparison("DIFFERS", max_abs=None), problems=(PROBLEM,)))
    encoded = msgspec.json.decode(msgspec.json.encode(judged))
    assert msgspec.convert(encoded.pop("task"), task_union()) == judged.task
    assert msgspec.convert({**encoded, "task": {}}, VerifyReport).backends == judged.backends
