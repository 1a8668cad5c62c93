"""`webbuild verify`: compare a bundle in a real browser with native ONNX Runtime."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from webbuild.commands.options.verify import VerifyArguments
from webbuild.errors import USAGE, WebbuildError
from webbuild.reporting.write import check_report_files, print_json, write_report
from webbuild.samples.sample_files import require_samples

if TYPE_CHECKING:
    from webbuild.browser.driven_browser import BrowserName
    from webbuild.manifest.manifest import Graph
    from webbuild.verify.bundle import Bundle
    from webbuild.verify.multi_endpoint_report import MultiEndpointReport
    from webbuild.verify.report import VerifyReport


def run(arguments: VerifyArguments) -> int:
    """Verify a bundle, print the report, return its exit code.

    JSON goes to stdout with --json; the table for people and the progress always go to stderr. Several browsers have
    one table and one JSON, but no HTML report.

    Raises:
        WebbuildError: `no-playwright`; see `parse_endpoints` and `verify_in_browsers`; `unwritable-report`;
            `html-needs-one-browser` for --html with several browsers; `sample-not-found`.
    """
    from rich.console import Console

    from webbuild.browser.open_browser import parse_endpoints
    from webbuild.browser.require_playwright import require_playwright
    from webbuild.verify import multi_endpoint_report
    from webbuild.verify.report import exit_code
    from webbuild.verify.report_markdown import render_markdown
    from webbuild.verify.text import show_report
    from webbuild.verify.verify import verify_in_browsers

    require_playwright()
    endpoints = parse_endpoints(arguments.endpoints, arguments.public, arguments.browsers)
    console = Console(stderr=True)
    if arguments.html is not None and len(endpoints) > 1:
        raise WebbuildError(
            "html-needs-one-browser",
            f"{arguments.html}: --html shows the results of one browser only",
            "use --json, or verify one browser at a time",
            exit_code=USAGE,
        )
    check_report_files(arguments.html, arguments.markdown)
    require_samples(arguments.inputs)
    with console.status("starting") as status:
        reports = verify_in_browsers(
            endpoints,
            arguments.directory,
            arguments.backends,
            arguments.inputs,
            precision=arguments.precision,
            port=arguments.port,
            track=arguments.track,
            say=status.update,
            compare_pieces=_compare_pieces,
        )
    if arguments.markdown is not None:
        write_report(arguments.markdown, render_markdown(multi_endpoint_report.collect_reports(endpoints, reports)))
    report: VerifyReport | MultiEndpointReport
    if len(reports) > 1:
        report = multi_endpoint_report.collect_reports(endpoints, reports)
        multi_endpoint_report.show_browsers(report, console)
        code = report.exit_code
    else:
        (alone,) = reports
        if isinstance(alone, WebbuildError):
            raise alone
        report, code = alone, exit_code(alone)
        show_report(report, console)
        if arguments.html is not None:
            write_html_report(arguments.html, report, arguments.directory)
    if arguments.as_json:
        print_json(report)
    return code


def verify_and_show(directory: Path) -> VerifyReport:
    """Verify a bundle on both backends, print the differences on stderr, and return the report.

    Raises:
        WebbuildError: see `verify_in_browsers`.
    """
    from rich.console import Console

    from webbuild.browser.open_browser import Endpoint
    from webbuild.verify.text import show_report
    from webbuild.verify.verify import verify_in_browsers

    console = Console(stderr=True)
    with console.status("verify in Chromium") as status:
        (report,) = verify_in_browsers([Endpoint()], directory, (), say=status.update, compare_pieces=_compare_pieces)
    if isinstance(report, WebbuildError):
        raise report
    show_report(report, console, brief=True)
    return report


def _compare_pieces(browser: BrowserName, bundle: Bundle, graph: Graph) -> int:
    from webbuild.bisect.model_under_test import ModelSelection
    from webbuild.bisect.piecewise import compare_pieces

    return compare_pieces(ModelSelection(bundle.directory, graph.target, stage=bundle.stage), browser)


def write_html_report(path: Path, report: VerifyReport, directory: Path) -> None:
    """Write the report as HTML with the images in the bundle's `directory`, and print its path.

    Raises:
        WebbuildError: `unwritable-report`.
    """
    from webbuild.verify.report_html import render_verify_report

    write_report(path, render_verify_report(report, directory))
