"""Several browsers in one table: which pass, which differ, which were not reached."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from tests.verify.detections_made import PROBLEM, backend, comparison, report
from webbuild.browser.open_browser import Endpoint
from webbuild.errors import WebbuildError
from webbuild.verify.multi_endpoint_report import (
    MultiEndpointReport,
    collect_reports,
    failure_lines,
    show_browsers,
    table_rows,
)
from webbuild.verify.report import VerifyReport

GONE = WebbuildError("cannot-connect", "ws://b:1: refused", "start it")
PLACES = [Endpoint("ws://a:1"), Endpoint("ws://b:1")]


def of(*found: VerifyReport | WebbuildError) -> MultiEndpointReport:
    return collect_reports(PLACES[: len(found)], found)


def test_every_browser_that_agrees_is_clean() -> None:
    found = of(report(backend(comparison())), report(backend(comparison(), backend="wasm", adapter="")))
    assert found.exit_code == 0
    (first,) = table_rows(found.browsers[0])
    assert (first[0], first[2], first[3]) == ("google swiftshader", "WebGPU", "same")


@pytest.mark.parametrize(
    "bad",
    [
        GONE,
        report(backend(comparison("DIFFERS"))),
        report(backend(comparison(), problems=(PROBLEM,))),
        report(backend(results=(), timings=None)),
        report(),
    ],
    ids=["not reached", "differs", "a problem", "nothing compared", "no backend"],
)
def test_one_that_is_not_clean_fails_all(bad: VerifyReport | WebbuildError) -> None:
    assert of(report(backend(comparison())), bad).exit_code == 1


def test_nobody_is_not_clean() -> None:
    assert collect_reports([], []).exit_code == 1


def test_one_that_was_not_reached_is_a_row_and_a_mend() -> None:
    (row,) = table_rows(of(report(backend(comparison())), GONE).browsers[1])
    assert row[1:4] == ("ws://b:1", "", "not reached")
    (failure,) = failure_lines(of(GONE).browsers[0])
    assert failure.splitlines()[:2] == ["error[cannot-connect] ws://a:1: ws://b:1: refused", "  fix: start it"]


def test_the_table_has_all_of_them() -> None:
    out = io.StringIO()
    differs = report(backend(comparison("DIFFERS", max_abs=3.0, reason="too-far"), adapter="other\x1b[31m"))
    show_browsers(of(report(backend(comparison())), differs), Console(file=out, width=140))
    text = out.getvalue()
    for part in ("swiftshader", "same", "differ", "differs by 3", "1 of 2 browsers give the same results"):
        assert part in text
    assert "\x1b" not in text
