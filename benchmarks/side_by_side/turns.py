"""All sides in one browser, on the same pictures, in turns: a busy machine delays each of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from statistics import median

from benchmarks.side_by_side.measure import PageMeasurement, RunCounts, measurement, sample_order
from benchmarks.side_by_side.pages import Boxes, BundlePage, Held, Visit, VisitedPage
from webbuild.browser.chromium import BrowserHandle
from webbuild.errors import WebbuildError
from webbuild.verify.inputs import VerifyInput
from webbuild.verify.page_rpc import PageError

_STAY = 5000.0
"""Milliseconds of a first visit after its result. What a page keeps for the next one it may keep when nobody waits."""
_MOST = 240
"""Characters of a message."""


def measure_in_turns(
    chromium: BrowserHandle,
    sides: Mapping[str, VisitedPage],
    backend: str,
    samples: Sequence[VerifyInput],
    effort: RunCounts,
) -> tuple[dict[str, PageMeasurement], dict[str, str]]:
    """Return what each side gave, and what those said that failed: they are not asked again, and the others go on.

    Each first visit is in a profile of its own, and the second visit follows in it.
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
    held = {name: _count(chromium, side, backend, samples) for name, side in left.items()}
    times, found = _run_in_turns(chromium, left, backend, samples, effort)
    return {
        name: measurement(
            side.adapter, _median(first[name]), times[name], found[name], _median(second[name]).first_result, held[name]
        )
        for name, side in left.items()
    }, failed


def _count(chromium: BrowserHandle, side: VisitedPage, backend: str, samples: Sequence[VerifyInput]) -> Held:
    """Return the kernels of a second run, and what is held after it."""
    with chromium.page() as (page, _):
        if isinstance(side, BundlePage):
            side.visit(page, backend, samples[0], counted=True)
        else:
            side.visit(page, backend, samples[0])
        side.hold(samples[:1])
        before = side.held()
        side.run(0)
        after = side.held()
    return Held(after.kernels - before.kernels, after.gpu_bytes, after.wasm_bytes)


def _run_in_turns(
    chromium: BrowserHandle,
    sides: Mapping[str, VisitedPage],
    backend: str,
    samples: Sequence[VerifyInput],
    effort: RunCounts,
) -> tuple[dict[str, list[float]], dict[str, list[Boxes]]]:
    """Return the milliseconds of the runs that count and the boxes, of each side."""
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
    """Return who is first: another one each turn."""
    names = list(sides)
    start = turn % len(names) if names else 0
    return names[start:] + names[:start]


def _median(visits: Sequence[Visit]) -> Visit:
    return Visit(
        median(visit.bytes for visit in visits),
        median(visit.session for visit in visits),
        median(visit.first_result for visit in visits),
    )
