"""`webbuild probe`: measure a build of onnxruntime-web and write its table."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from webbuild.browser.chromium import open_chromium
from webbuild.browser.require_playwright import require_playwright
from webbuild.commands.options.probe import ProbeArguments
from webbuild.errors import CLEAN, USAGE, WebbuildError
from webbuild.model.cache_folder import cache_folder
from webbuild.ortweb import packaged_assets
from webbuild.ortweb.build import get_build
from webbuild.ortweb.result_journal import Journal
from webbuild.probe.browser_differences import measure_differences
from webbuild.probe.browser_harness import open_harness
from webbuild.probe.kernel_sweep import kernel_probes
from webbuild.probe.measure import measure_probes
from webbuild.probe.native_process import NativeProcess
from webbuild.probe.probe_model import Probe
from webbuild.probe.record import ProbeRecord
from webbuild.probe.registry import FEATURES, families, family_probes
from webbuild.probe.table_writer import build_table
from webbuild.reporting.progress import ProgressReporter
from webbuild.reporting.quantities import format_count
from webbuild.reporting.write import check_report_files
from webbuild.targets.browser_differences import encode_differences
from webbuild.targets.table import OUTCOMES, KernelTable, encode_table, load_table
from webbuild.targets.target import Target

if TYPE_CHECKING:
    from rich.progress import Progress

_WORK_GROUP_FAMILY = "large"
"""The family of probes for large workgroups. It takes longest, so it runs last."""


def run(arguments: ProbeArguments) -> int:
    """Measure, write the table, and print the outcomes. Returns the exit code.

    Raises:
        WebbuildError: `no-playwright`, `unknown-probe-family`, `unwritable-report`, and what `open_chromium` and
            `open_harness` raise.
    """
    require_playwright()
    target = Target(arguments.version or packaged_assets.engine_version(), arguments.build)
    if unknown := sorted(set(arguments.only) - set(families())):
        choice = ", ".join(families())
        raise WebbuildError(
            "unknown-probe-family",
            f"--family {unknown[0]}: there is no such family of probes",
            f"use one of: {choice}",
            exit_code=USAGE,
        )
    file = arguments.out or Path(f"{target.name}{'-firefox' * (arguments.browser == 'firefox')}.json")
    check_report_files(file)
    progress = ProgressReporter()
    if arguments.browser != "chromium":
        return _write_differences(target, arguments, file, progress)
    measured = _measure(target, arguments.only, arguments.resume, progress)
    file.write_bytes(encode_table(measured))
    counts = Counter(case.outcome for case in measured.cases)
    outcomes = ", ".join(f"{count} {OUTCOMES[outcome]}" for outcome, count in counts.most_common())
    progress.print(f"written: {file}, {format_count(len(measured.cases), 'case')}: {outcomes}")
    return CLEAN


def _write_differences(target: Target, arguments: ProbeArguments, file: Path, progress: ProgressReporter) -> int:
    if target.build == "wasm":
        raise WebbuildError(
            "probe-needs-webgpu",
            "--browser firefox --build wasm: the build without a GPU has the same outcomes in every browser",
            "leave --build out",
            exit_code=USAGE,
        )
    cache = cache_folder()
    with progress.step(f"get onnxruntime-web {target.name}"):
        build = get_build(target, cache)
    measured_families = [*_families_to_measure(arguments.only, gpu=True), *([] if arguments.only else FEATURES)]
    probes = [probe for family in measured_families for probe in family_probes(family)]
    with _progress([("cases", probes)], progress) as bar:

        def tick(count: int) -> None:
            bar.advance(bar.task_ids[0], count)

        differences = measure_differences(build, load_table(target), probes, cache, tick, resume=arguments.resume)
    file.write_bytes(encode_differences(differences))
    if differences.left_out:
        progress.print(f"not measured: {', '.join(differences.left_out)}: an adapter lacks a feature that they need")
    progress.print(
        f"written: {file}, {differences.browser}: "
        f"{format_count(len(differences.differences), 'case')} of {differences.cases} "
        f"have another outcome than in {differences.against} on this machine"
    )
    return CLEAN


def _families_to_measure(only: Sequence[str], *, gpu: bool) -> Sequence[str]:
    """Return the families to measure, in order. Families that need a WebGPU feature must be named by the user."""
    usual = [name for name in families() if name not in (_WORK_GROUP_FAMILY, *FEATURES)]
    return only or [*usual, *([_WORK_GROUP_FAMILY] if gpu else [])]


def _measure(target: Target, only: Sequence[str], resume: bool, progress: ProgressReporter) -> KernelTable:
    cache = cache_folder()
    with progress.step(f"get onnxruntime-web {target.name}"):
        build = get_build(target, cache)
    journal = Journal(ProbeRecord, cache / f"{target.name}.jsonl", resume=resume)
    kernel_sweep = [] if only else list(kernel_probes())
    gpu = target.build != "wasm"
    cases = {family: list(family_probes(family)) for family in _families_to_measure(only, gpu=gpu)}
    steps = [*([("kernels", [each.probe for each in kernel_sweep])] if kernel_sweep else []), *cases.items()]
    with (
        NativeProcess() as native,
        open_chromium(webgpu=gpu) as browser,
        open_harness(browser, build) as page,
        _progress(steps, progress) as bar,
    ):
        adapter = page.adapter()
        for title, probes in steps:
            bar.update(bar.task_ids[0], description=title)
            started = time.perf_counter()
            measure_probes(page, native, journal, probes, lambda count: bar.advance(bar.task_ids[0], count))
            progress.print(f"  ✓ {title}: {len(probes)} probes ({time.perf_counter() - started:.1f} s)")
        browser_name = f"{browser.name} {browser.version.partition('.')[0]}"
        done = build_table(
            target,
            adapter,
            browser_name,
            kernel_sweep,
            [p.name for family in cases.values() for p in family],
            journal.records,
        )
    for line in journal.records.values():
        if line.reason.startswith("no answer"):
            progress.print(f"  {line.name} is not in the table: {line.reason}")
    journal.delete()
    return done


def _progress(steps: Sequence[tuple[str, Sequence[Probe]]], progress: ProgressReporter) -> Progress:
    """Return a progress bar on stderr with one task for all steps."""
    from rich.progress import MofNCompleteColumn, Progress, TimeElapsedColumn

    bar = Progress(*Progress.get_default_columns(), MofNCompleteColumn(), TimeElapsedColumn(), console=progress.console)
    bar.add_task("", total=sum(len(probes) for _, probes in steps))
    return bar
