"""Write the reports of `webbuild verify --json`, from Chromium on a GPU, as a table of docs/gpu.md.

export WEBBUILD_GPU=real                                            # on the machine with the GPU
webbuild verify dist/yolo-pose --json > verify-yolo-pose.json
python -m benchmarks.gpu.chromium verify-*.json --adapter "NVIDIA H200" --write
"""

from __future__ import annotations

import argparse
from pathlib import Path

import msgspec
from msgspec import Struct

from benchmarks.gpu.render import PAGE
from benchmarks.page_markers import replace_marked
from webbuild.verify import formatting
from webbuild.verify.report import BackendRun, VerifyEnvironment

RESULTS = Path(__file__).parents[1] / "results" / "gpu-chromium.json"


class Report(Struct, frozen=True):
    """The fields of a report that are read."""

    bundle: str
    environment: VerifyEnvironment
    backends: tuple[BackendRun, ...]


class ChromiumRow(Struct, frozen=True):
    """A graph of a bundle: `same` of `compared` values agree with native ONNX Runtime, using `share` of the tolerance.

    `steady` is the median time of a run in milliseconds, with preprocessing and postprocessing.
    """

    browser: str
    adapter: str
    bundle: str
    graph: str
    same: int
    compared: int
    share: float
    steady: float | None


def chromium_rows(report: Report, adapter: str) -> list[ChromiumRow]:
    """Return the rows of a report.

    Raises:
        ValueError: a graph was not run, or none of its outputs was compared.
    """
    return [_row(report, run, adapter) for run in report.backends]


def _row(report: Report, run: BackendRun, adapter: str) -> ChromiumRow:
    share = run.tolerance_used
    if run.skip_reason or share is None:
        raise ValueError(f"{report.bundle}, {run.backend}: {run.skip_reason or 'nothing was compared'}")
    return ChromiumRow(
        browser=report.environment.browser,
        adapter="processor" if run.backend.startswith("wasm") else adapter,
        bundle=Path(report.bundle).name,
        graph=run.backend,
        same=sum(each.verdict == "OK" for each in run.comparisons),
        compared=len(run.comparisons),
        share=share,
        steady=None if run.timings is None else run.timings.steady_run,
    )


def render(rows: list[ChromiumRow]) -> str:
    """Return the table."""
    lines = [
        "| bundle | graph | browser | adapter | values that agree | of the tolerance | run |",
        "|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        run = "" if row.steady is None else f"{row.steady:.1f} ms"
        graph, browser = formatting.runner_name(row.graph), row.browser.partition(".")[0]
        cells = f"{row.bundle} | {graph} | {browser} | {row.adapter} | {row.same} of {row.compared}"
        lines.append(f"| {cells} | {formatting.format_number(row.share * 100)} % | {run} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Print the table; with `--write` store the measurements, and write the table into the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("reports", type=Path, nargs="*", help="without reports: the table of the stored measurements")
    parser.add_argument("--adapter", default="", help="the GPU's name, which browsers do not report fully")
    parser.add_argument("--write", action="store_true", help=f"write {PAGE.name} and {RESULTS.name}")
    options = parser.parse_args()
    if bool(options.reports) != bool(options.adapter):
        parser.error("name the --adapter of the reports")
    if options.reports:
        reports = [msgspec.json.decode(file.read_bytes(), type=Report) for file in options.reports]
        rows = [row for report in reports for row in chromium_rows(report, options.adapter)]
    else:
        rows = msgspec.json.decode(RESULTS.read_bytes(), type=list[ChromiumRow])
    print(render(rows))
    if options.write:
        RESULTS.write_bytes(msgspec.json.format(msgspec.json.encode(rows), indent=1) + b"\n")
        replace_marked(PAGE, render(rows), "chromium")


if __name__ == "__main__":
    main()
