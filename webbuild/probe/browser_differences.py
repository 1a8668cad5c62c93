"""Measures the cases of a kernel table in Firefox, and repeats those with another outcome in Chromium."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path

from webbuild.browser.chromium import open_chromium
from webbuild.browser.driven_browser import browser_title
from webbuild.browser.firefox import open_firefox
from webbuild.ortweb.build import OrtWebBuild
from webbuild.ortweb.result_journal import Journal
from webbuild.probe.browser_harness import open_harness
from webbuild.probe.measure import StepCallback, measure_probes
from webbuild.probe.native_process import NativeProcess
from webbuild.probe.probe_model import Probe
from webbuild.probe.record import ProbeRecord
from webbuild.probe.registry import FEATURES
from webbuild.targets.browser_differences import BrowserDifferences, Difference
from webbuild.targets.table import KernelTable, MeasuredCase


def measure_differences(
    build: OrtWebBuild, table: KernelTable, probes: Sequence[Probe], journals: Path, tick: StepCallback, *, resume: bool
) -> BrowserDifferences:
    """Return which of the `probes` have another outcome in Firefox than in Chromium on this machine.

    Probes with the same outcome in Firefox as in the `table`, which was measured in Chromium, are not run again in
    Chromium. Families that the table does not have run in both browsers, if both adapters have the required feature.

    Raises:
        WebbuildError: see `open_firefox`, `open_chromium` and `ProbeHarness`.
    """
    target = build.target
    with ExitStack() as stack:
        native = stack.enter_context(NativeProcess())
        browser, chromium = stack.enter_context(open_firefox()), stack.enter_context(open_chromium())
        page, chromium_page = (stack.enter_context(open_harness(each, build)) for each in (browser, chromium))
        adapter, against_adapter = page.adapter(), chromium_page.adapter()
        features = page.features() & chromium_page.features() | (chromium_page.features() & {"subgroups"})
        left_out = sorted(family for family, feature in FEATURES.items() if feature not in features)
        tick(sum(_family(probe) in left_out for probe in probes))
        probes = [probe for probe in probes if _family(probe) not in left_out]
        journal = Journal(ProbeRecord, journals / f"{target.name}-firefox.jsonl", resume=resume)
        measure_probes(page, native, journal, probes, tick)
        outcomes = {case.name: case.outcome for case in table.cases}
        cases = {probe.name: case for probe in probes if (case := journal.records[probe.name].case) is not None}
        suspects = [
            probe for probe in probes if (case := cases.get(probe.name)) and outcomes.get(case.name) != case.outcome
        ]
        against = Journal(ProbeRecord, journals / f"{target.name}-compared-with-firefox.jsonl", resume=resume)
        measure_probes(chromium_page, native, against, suspects, lambda _: None)
        others = {name: record.case for name, record in against.records.items() if record.case is not None}
        both = [(cases[probe.name], others[probe.name]) for probe in suspects if probe.name in others]
        both.sort(key=lambda pair: (pair[0].op, pair[0].name))
        journal.delete()
        against.delete()
        return BrowserDifferences(
            target=target,
            measured=datetime.now(UTC).date().isoformat(),
            browser=browser_title(browser),
            adapter=adapter,
            against=browser_title(chromium),
            against_adapter=against_adapter,
            cases=len(cases),
            failing=[
                case
                for case, other in both
                if case.name not in outcomes
                and case.outcome == other.outcome not in ("gpu", "cpu", outcomes.get(_twin(case)))
            ],
            subgroups=[other.name for _, other in both if other.subgroups],
            left_out=left_out,
            differences=[Difference(case, other.outcome) for case, other in both if case.outcome != other.outcome],
        )


def _twin(case: MeasuredCase) -> str:
    """Return the name of the float32 case of a float16 case, which the table has."""
    return case.name.removeprefix("float16/")


def _family(probe: Probe) -> str:
    return probe.name.partition("/")[0]
