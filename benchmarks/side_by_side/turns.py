"""Alternating runs of all pages in one browser, on the same pictures, so that other load affects all of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from statistics import median

from benchmarks.side_by_side.measure import PageMeasurement, RunCounts, measurement, sample_order
from benchmarks.side_by_side.pages import Boxes, BundlePage, PageCounters, Visit, VisitedPage
from webbuild.browser.chromium import BrowserHandle
from webbuild.errors import WebbuildError
from webbuild.verify.inputs import VerifyInput
from webbuild.verify.page_rpc import PageError

_STAY = 5000.0
"""Milliseconds of a first visit after its result, in which a page may store files for the next visit."""
_MOST = 240
"""Longest message, in characters."""


def measure_in_turns(
    chromium: BrowserHandle,
    sides: Mapping[str, VisitedPage],
    backend: str,
    samples: Sequence[VerifyInput],
    effort: RunCounts,
) -> tuple[dict[str, PageMeasurement], dict[str, str]]:
    """Return each page's measurement, and the errors of failed pages: these stop, and the others continue.

    Each first visit is in a fresh profile, and the second visit follows in the same one.
    """
    left, failed = dict(sides), dict[str, str]()
    first: dict[str, list[Visit]] = {name: [] for name in sides}
    second: dict[str, list[Visit]] = {name: [] for name in sides}
    for turn in range(effort.visits):
        for name in _order(left, turn):
            try:
                with chromium.page() as (page, _):
                    first[name].append(left[name].visit(page, backend, samples[0]))
                    page.wait_for_timeout(_STAY)
                    second[name].append(left[name].visit(page, backend, samples[0]))
            except (PageError, WebbuildError) as error:
                failed[name] = " ".join(str(error).split())[:_MOST]
                del left[name]
    counters = {name: _count(chromium, side, backend, samples) for name, side in left.items()}
    times, found = _run_in_turns(chromium, left, backend, samples, effort)
    return {
        name: measurement(
            side.adapter,
            _median(first[name]),
            times[name],
            found[name],
            _median(second[name]).first_result,
            counters[name],
        )
        for name, side in left.items()
    }, failed


def _count(chromium: BrowserHandle, side: VisitedPage, backend: str, samples: Sequence[VerifyInput]) -> PageCounters:
    """Return the kernels of a second run, and the memory after it."""
    with chromium.page() as (page, _):
        if isinstance(side, BundlePage):
            side.visit(page, backend, samples[0], counted=True)
        else:
            side.visit(page, backend, samples[0])
        side.hold(samples[:1])
        before = side.counters()
        side.run(0)
        after = side.counters()
    return PageCounters(after.kernels - before.kernels, after.gpu_bytes, after.wasm_bytes)


def _run_in_turns(
    chromium: BrowserHandle,
    sides: Mapping[str, VisitedPage],
    backend: str,
    samples: Sequence[VerifyInput],
    effort: RunCounts,
) -> tuple[dict[str, list[float]], dict[str, list[Boxes]]]:
    """Return each page's milliseconds of timed runs, and its boxes."""
    times: dict[str, list[float]] = {name: [] for name in sides}
    with ExitStack() as pages:
        for visited in sides.values():
            page, _ = pages.enter_context(chromium.page())
            visited.visit(page, backend, samples[0])
            visited.hold(samples)
        for turn, sample in enumerate(sample_order(samples, effort)):
            for name in _order(sides, turn):
                taken = sides[name].run(sample)
                if turn >= effort.warming:
                    times[name].append(taken)
        found = {name: [side.found(index) for index in range(len(samples))] for name, side in sides.items()}
    return times, found


def _order(sides: Mapping[str, VisitedPage], turn: int) -> list[str]:
    """Return the order of the pages, which rotates each turn."""
    names = list(sides)
    start = turn % len(names) if names else 0
    return names[start:] + names[:start]


def _median(visits: Sequence[Visit]) -> Visit:
    return Visit(
        median(visit.bytes for visit in visits),
        median(visit.session for visit in visits),
        median(visit.first_result for visit in visits),
    )
