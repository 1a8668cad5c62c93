"""`webbuild inspect`: predict failures before the run."""

from __future__ import annotations

import msgspec

from webbuild.browser.require_playwright import require_playwright
from webbuild.commands.locate_and_export import export_located, parse_export_options
from webbuild.commands.options.inspect import InspectArguments
from webbuild.inspection.dry_run import with_fixes
from webbuild.inspection.inspect import inspect
from webbuild.inspection.result import exit_code
from webbuild.model.load import load_onnx
from webbuild.model.locate import locate_model
from webbuild.model.set_inputs import parse_set, set_inputs
from webbuild.model.state_option import parse_states
from webbuild.ortweb.packaged_assets import engine_version
from webbuild.reporting.progress import ProgressReporter
from webbuild.reporting.write import check_report_files, print_json, write_report
from webbuild.runners.native import NativeRunner
from webbuild.samples.resolve_sizes import resolve_sizes
from webbuild.targets.table import load_table
from webbuild.targets.target import Target, parse_target
from webbuild.tasks.options.picture_sizes import parse_size
from webbuild.tasks.options.symbolic_dims import parse_dims


def run(arguments: InspectArguments) -> int:
    """Inspect a model and print the findings. Returns the exit code: 1 if there is an error.

    Raises:
        WebbuildError: `no-playwright` with --measure, `unknown-target`, `unwritable-report`, and errors of loading and
            measuring the model.
    """
    from rich.console import Console

    from webbuild.inspection.text import print_inspection, print_measurement

    if arguments.measure:
        require_playwright()
    check_report_files(arguments.html)
    measured = load_table(parse_target(arguments.target) if arguments.target else Target(engine_version(), "webgpu"))
    progress = ProgressReporter(quiet=arguments.as_json)
    path = export_located(locate_model(arguments.model), parse_export_options(arguments.export), progress)
    source = set_inputs(load_onnx(path), parse_set(arguments.values))
    resolved = resolve_sizes(
        source,
        parse_dims(arguments.dims),
        parse_size(arguments.size),
        lambda model: NativeRunner(model.path, model.graph_bytes, model.set_inputs),
        states=parse_states(arguments.states),
    )
    source, sizes = resolved.source, resolved.sizes
    assumptions = (*source.repairs, *source.warnings, *sizes.assumptions)
    for assumption in assumptions:
        progress.print(f"  assumed: {assumption}")
    inspection = inspect(path.name, source.model, measured, sizes.dims, assumptions)
    inspection = with_fixes(inspection, source.model, measured, sizes.dims)
    if arguments.html is not None:
        from webbuild.inspection.report_html import render

        write_report(arguments.html, render(inspection))
    measurement = None
    if arguments.measure:
        from webbuild.inspection.measure import measure_in_chromium

        with progress.step("measure it in Chromium"):
            measurement = measure_in_chromium(inspection, source, sizes.dims)
    if arguments.as_json:
        print_json(msgspec.to_builtins(inspection) | ({"measurement": measurement} if measurement else {}))
    else:
        print_inspection(inspection, Console())
        if measurement is not None:
            print_measurement(measurement, Console())
    return exit_code(inspection)
