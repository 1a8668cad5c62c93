"""A graph compared piece by piece: each piece is fed with the reference's values, so that no error is passed on.

That is how a model is judged whose own noise drowns its outputs: in some quantized networks the rounding of one number
turns many others, so that outputs differ and every kernel is right.
"""

from __future__ import annotations

from webbuild.bisect.bisect import BisectOptions, bisect_in_browser
from webbuild.bisect.model_under_test import ModelSelection, open_model_under_test
from webbuild.bisect.report import BisectReport
from webbuild.browser.driven_browser import BrowserName


def compare_pieces(selection: ModelSelection, browser: BrowserName = "chromium") -> int:
    """Search a graph in a browser for a node that is wrong, and return how many values agree.

    Returns:
        0 where a node is to blame, or a part could not be tried.

    Raises:
        WebbuildError: what `open_model_under_test` and `bisect_in_browser` raise.
    """
    subject = open_model_under_test(selection)
    with bisect_in_browser(subject, BisectOptions(browser)) as (report, _, _):
        return agreeing_values(report)


def agreeing_values(report: BisectReport) -> int:
    """Return how many values agree where no node is to blame, else 0."""
    blamed = any(each.code != "error-accumulation" for each in report.findings)
    return 0 if blamed or report.unresolved or report.unfinished else report.compared_values
