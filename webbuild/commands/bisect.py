"""`webbuild bisect`: find the node whose output differs, and the smallest graph that shows it."""

from __future__ import annotations

from pathlib import Path

from webbuild.bisect.bisect import BisectOptions, bisect_in_browser
from webbuild.bisect.model_under_test import ModelSelection, open_model_under_test
from webbuild.bisect.report import exit_code
from webbuild.bisect.repro_files import write_findings
from webbuild.bisect.text import print_report
from webbuild.browser.require_playwright import require_playwright
from webbuild.bundle.staging import check_output_folder
from webbuild.commands.options.bisect import BisectArguments
from webbuild.compare.arrays import RELATIVE_TOLERANCE
from webbuild.compare.tolerances import REDUCED_PRECISION
from webbuild.errors import USAGE, WebbuildError
from webbuild.reporting.progress import ProgressReporter
from webbuild.reporting.write import print_json
from webbuild.samples.sample_files import require_samples
from webbuild.subgraph.graph import ModelGraph
from webbuild.tasks.options.picture_sizes import parse_size


def run(arguments: BisectArguments) -> int:
    """Search, write and print the findings. Returns the exit code: 1 if anything differs.

    Raises:
        WebbuildError: `no-playwright`; see `open_model_under_test` and `bisect_in_browser`;
            `output-exists`, `not-a-bundle`, `cannot-write`, `sample-not-found`; `conflicting-options`.
    """
    require_playwright()
    if arguments.backend == arguments.against:
        raise WebbuildError(
            "conflicting-options",
            "--backend wasm --reference wasm: WebAssembly would be compared with itself",
            "leave --reference out: the reference is then native ONNX Runtime",
            exit_code=USAGE,
        )
    require_samples(arguments.inputs)
    name = arguments.subject.resolve().name.removesuffix(".onnx")
    out = arguments.out or Path(f"bisect-{name}")
    check_output_folder(out, force=arguments.force, marks=("bisect.json",))
    progress = ProgressReporter(quiet=arguments.as_json)
    with progress.step("read the graph"):
        subject = open_model_under_test(_selection(arguments))
    for assumption in subject.assumptions:
        progress.print(f"  assumed: {assumption}")
    with bisect_in_browser(
        subject, search_options(arguments, subject.graph), lambda line: progress.print(f"  {line}")
    ) as (
        report,
        result,
        runner,
    ):
        if result.culprits:
            report = write_findings(out, report, result, runner, subject)
    if arguments.as_json:
        print_json(report)
    else:
        print_report(report, out)
    return exit_code(report)


def _selection(arguments: BisectArguments) -> ModelSelection:
    return ModelSelection(
        path=arguments.subject,
        backend=arguments.backend,
        outputs=arguments.outputs,
        inputs=arguments.inputs,
        dims=arguments.dims,
        precision=arguments.precision,
        stage=arguments.stage,
        size=parse_size(arguments.size),
    )


def search_options(arguments: BisectArguments, graph: ModelGraph) -> BisectOptions:
    """Return the options of the search; graphs that compute in float16 have a wider tolerance."""
    default = REDUCED_PRECISION.relative if graph.computes_float16 else RELATIVE_TOLERANCE
    return BisectOptions(
        browser=arguments.browser,
        reference=arguments.against,
        tolerance=arguments.tolerance or default,
        seconds=arguments.seconds,
        resume=arguments.resume,
    )
