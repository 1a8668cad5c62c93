"""The measurements of one page, and the agreement of two pages' detections."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from benchmarks.side_by_side.pages import SECONDS, Boxes, BundlePage, PageCounters, Visit
from webbuild.bench.percentiles import percentile
from webbuild.bench.scenario import WARMUP_RUNS
from webbuild.browser.chromium import BrowserHandle
from webbuild.verify.bundle import Bundle
from webbuild.verify.inputs import VerifyInput


class RunCounts(Struct, frozen=True):
    """Timed runs, warm-up runs, the time limit of a step in seconds, and first visits."""

    runs: int
    warming: int = WARMUP_RUNS
    seconds: float = SECONDS
    visits: int = 1


class PageMeasurement(Struct, frozen=True):
    """One page: bytes of a first visit, milliseconds to a session, to a first result and of runs; its boxes.

    Also the milliseconds to a first result on a second visit, None if not measured; the number of kernels of one run;
    and the bytes that the page uses after it, on the GPU and in WebAssembly.
    """

    adapter: str
    bytes: float
    session: float
    first_result: float
    times: list[float]
    found: list[Boxes]
    second_visit: float | None = None
    kernels: float | None = None
    gpu_bytes: int | None = None
    wasm_bytes: int | None = None

    @property
    def p50(self) -> float:
        """The median time of its runs."""
        return percentile(self.times, 50)

    @property
    def p95(self) -> float | None:
        """The 95th percentile of its runs; None for fewer than 20."""
        return percentile(self.times, 95) if len(self.times) >= 20 else None


def measure_bundle(
    chromium: BrowserHandle, bundle: Bundle, backend: str, samples: Sequence[VerifyInput], effort: RunCounts
) -> PageMeasurement:
    """Measure the bundle alone, in a fresh profile, as `webbuild bench` does."""
    visited = BundlePage(bundle, effort.seconds)
    with visited.server, chromium.page() as (page, _):
        visit = visited.visit(page, backend, samples[0])
        visited.hold(samples)
        times = [visited.run(sample) for sample in sample_order(samples, effort)]
        found = [visited.found(index) for index in range(len(samples))]
    return measurement(visited.adapter, visit, times[effort.warming :], found)


def measurement(
    adapter: str,
    visit: Visit,
    times: list[float],
    found: list[Boxes],
    second_visit: float | None = None,
    counters: PageCounters | None = None,
) -> PageMeasurement:
    """Return the measurements; `counters` has the kernels of one run."""
    own = (None, None, None) if counters is None else (counters.kernels, counters.gpu_bytes, counters.wasm_bytes)
    return PageMeasurement(adapter, visit.bytes, visit.session, visit.first_result, times, found, second_visit, *own)


def sample_order(samples: Sequence[VerifyInput], effort: RunCounts) -> list[int]:
    """Return the indices of the samples in the order of the runs, cyclically."""
    return [index % len(samples) for index in range(effort.warming + effort.runs)]


def matching_boxes(ours: PageMeasurement, theirs: PageMeasurement) -> tuple[int, int]:
    """Return how many boxes match with an IoU of 0.9, and the larger number of boxes of both pages."""
    same = sum(
        any(_overlap(box, other) >= 0.9 for other in there)
        for here, there in zip(ours.found, theirs.found, strict=True)
        for box in here
    )
    return same, max(sum(map(len, side.found)) for side in (ours, theirs))


def _overlap(a: Sequence[float], b: Sequence[float]) -> float:
    width, height = (min(a[2 + axis], b[2 + axis]) - max(a[axis], b[axis]) for axis in (0, 1))
    if width <= 0 or height <= 0:
        return 0.0
    areas = sum((box[2] - box[0]) * (box[3] - box[1]) for box in (a, b))
    return width * height / (areas - width * height)
