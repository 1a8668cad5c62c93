"""`webbuild bench`: measure a bundle in a real browser."""

from __future__ import annotations

from webbuild.browser.open_browser import parse_endpoints
from webbuild.browser.require_playwright import require_playwright
from webbuild.commands.options.bench import BenchArguments
from webbuild.reporting.write import check_report_files, print_json, write_report
from webbuild.samples.sample_files import require_samples


def run(arguments: BenchArguments) -> int:
    """Measure a bundle, print the report, return its exit code.

    JSON goes to stdout with --json; the table for people and the progress always go to stderr.

    Raises:
        WebbuildError: `no-playwright`; see `bench`; `unwritable-report`, `sample-not-found`.
    """
    from rich.console import Console

    from webbuild.bench.bench import bench
    from webbuild.bench.report import exit_code
    from webbuild.bench.report_html import render
    from webbuild.bench.text import print_report

    require_playwright()
    check_report_files(arguments.html)
    require_samples(arguments.inputs)
    console = Console(stderr=True)
    with console.status("starting") as status:
        report = bench(
            arguments.directory,
            arguments.backends,
            arguments.inputs,
            precision=arguments.precision,
            at=parse_endpoints(arguments.endpoints, arguments.public, arguments.browsers),
            port=arguments.port,
            runs=arguments.runs,
            say=status.update,
        )
    print_report(report, console)
    if arguments.html is not None:
        write_report(arguments.html, render(report))
    if arguments.as_json:
        print_json(report)
    return exit_code(report)
