"""A page by hand and a bundle in one browser, on the same pictures, in turns: a busy machine delays both."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from statistics import median

from benchmarks.plain_ortweb.measure import PageMeasurement, RunCounts, measurement, sample_order
from benchmarks.plain_ortweb.pages import Boxes, Visit, VisitedPage
from webbuild.browser.chromium import BrowserHandle
from webbuild.verify.inputs import VerifyInput

Sides = tuple[VisitedPage, VisitedPage]


def measure_in_turns(
    chromium: BrowserHandle, sides: Sides, backend: str, samples: Sequence[VerifyInput], effort: RunCounts
) -> tuple[PageMeasurement, PageMeasurement]:
    """Return the medians of both: each first visit is in a profile of its own, the second visit follows in it."""
    first: tuple[list[Visit], list[Visit]] = [], []
    second: tuple[list[Visit], list[Visit]] = [], []
    for turn in range(effort.visits):
        for side in _order(turn):
            with chromium.page() as (page, _):
                first[side].append(sides[side].visit(page, backend, samples[0]))
                second[side].append(sides[side].visit(page, backend, samples[0]))
    times, found = _run_in_turns(chromium, sides, backend, samples, effort)
    ours, theirs = (
        measurement(
            sides[side].adapter,
            _median(first[side]),
            times[side],
            found[side],
            _median(second[side]).first_result,
        )
        for side in (0, 1)
    )
    return ours, theirs


def _run_in_turns(
    chromium: BrowserHandle, sides: Sides, backend: str, samples: Sequence[VerifyInput], effort: RunCounts
) -> tuple[tuple[list[float], list[float]], list[list[Boxes]]]:
    """Return the milliseconds of the runs that count and the boxes, each of both."""
    times: tuple[list[float], list[float]] = [], []
    with ExitStack() as pages:
        for visited in sides:
            page, _ = pages.enter_context(chromium.page())
            visited.visit(page, backend, samples[0])
            visited.hold(samples)
        for turn, sample in enumerate(sample_order(samples, effort)):
            for side in _order(turn):
                taken = sides[side].run(sample)
                if turn >= effort.warming:
                    times[side].append(taken)
        return times, [[visited.found(index) for index in range(len(samples))] for visited in sides]


def _order(turn: int) -> tuple[int, int]:
    """Return who is first: now one, now the other."""
    return (0, 1) if turn % 2 else (1, 0)


def _median(visits: Sequence[Visit]) -> Visit:
    return Visit(
        median(visit.bytes for visit in visits),
        median(visit.session for visit in visits),
        median(visit.first_result for visit in visits),
    )
