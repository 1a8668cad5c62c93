"""Piecewise comparison of a graph: each piece takes the reference's values, so that errors do not propagate.

It judges models with outputs below the noise floor: in some quantized networks the rounding of one number changes many
others, so outputs differ although every kernel is right.
"""

from __future__ import annotations

from webbuild.bisect.bisect import BisectOptions, bisect_in_browser
from webbuild.bisect.model_under_test import ModelSelection, open_model_under_test
from webbuild.bisect.report import BisectReport
from webbuild.browser.driven_browser import BrowserName


def compare_pieces(selection: ModelSelection, browser: BrowserName = "chromium") -> int:
    """Search a graph in a browser for a wrong node, and return the number of values that agree.

    Returns:
        0 if a node is wrong, or a part could not be tried.

    Raises:
        WebbuildError: what `open_model_under_test` and `bisect_in_browser` raise.
    """
    subject = open_model_under_test(selection)
    with bisect_in_browser(subject, BisectOptions(browser)) as (report, _, _):
        return agreeing_values(report)


def agreeing_values(report: BisectReport) -> int:
    """Return the number of values that agree if no node is wrong, else 0."""
    blamed = any(each.code != "error-accumulation" for each in report.findings)
    return 0 if blamed or report.unresolved or report.unfinished else report.compared_values
