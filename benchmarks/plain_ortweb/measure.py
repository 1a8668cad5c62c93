"""Measures a page by hand and a bundle in one browser, on the same pictures."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from webbuild.bench.page_driver import PageDriver, SentFiles
from webbuild.bench.percentiles import percentile
from webbuild.bench.scenario import WARMUP_RUNS
from webbuild.browser.chromium import BrowserHandle
from webbuild.browser.media_types import media_type
from webbuild.browser.server import Server
from webbuild.tasks.registry import kind_of
from webbuild.verify.bundle import Bundle
from webbuild.verify.inputs import VerifyInput
from webbuild.verify.page_rpc import PageRpc

ENGINE = ("ort.webgpu.min.mjs", "ort-wasm-simd-threaded.asyncify.mjs", "ort-wasm-simd-threaded.asyncify.wasm")
DIST = Path(__file__).parents[2] / "node_modules" / "onnxruntime-web" / "dist"
SECONDS = 120.0

Boxes = list[list[float]]


class RunCounts(Struct, frozen=True):
    """Runs that count, runs before them, and the seconds that one step may take."""

    runs: int
    warming: int = WARMUP_RUNS
    seconds: float = SECONDS


class PageMeasurement(Struct, frozen=True):
    """One of the two: bytes of a first visit, milliseconds to a session, to a first result and of runs; its boxes."""

    adapter: str
    bytes: float
    session: float
    first_result: float
    times: list[float]
    found: list[Boxes]

    @property
    def p50(self) -> float:
        """The median of its runs."""
        return percentile(self.times, 50)

    @property
    def p95(self) -> float | None:
        """What 19 of 20 runs take at most; None of fewer than 20."""
        return percentile(self.times, 95) if len(self.times) >= 20 else None


def measure_plain_page(
    chromium: BrowserHandle, model: Path, backend: str, samples: Sequence[VerifyInput], effort: RunCounts
) -> PageMeasurement:
    """Measure the page by hand."""
    sent = SentFiles()
    engine = {f"/ort/{name}": (media_type(name), (DIST / name).read_bytes()) for name in ENGINE}
    with Server(model.parent, virtual=dict(engine), heard=sent.record) as server, chromium.page() as (page, _):
        calls = PageRpc(page, server, effort.seconds, "benchmarks.plain_ortweb", ["plain.js"])
        entry, address = f"{server.url}ort/{ENGINE[0]}", f"{server.url}{model.name}"
        loaded: dict[str, float] = calls.call("load", dict[str, float], entry=entry, model=address, backend=backend)
        first: float = calls.call("first", float, urls=calls.upload_images(samples[0].files))
        received = sent.bytes
        for given in samples:
            calls.call("hold", None, urls=calls.upload_images(given.files))
        times: list[float] = [calls.call("run", float, sample=sample) for sample in sample_order(samples, effort)]
        found: list[Boxes] = [calls.call("found", Boxes, sample=index) for index in range(len(samples))]
        calls.call("dispose", None)
    return PageMeasurement("", received, loaded["session"], loaded["loaded"] + first, times[effort.warming :], found)


def measure_bundle(
    chromium: BrowserHandle, bundle: Bundle, backend: str, samples: Sequence[VerifyInput], effort: RunCounts
) -> PageMeasurement:
    """Measure the bundle, in a fresh profile, as `webbuild bench` does."""
    sent = SentFiles()
    with Server(bundle.directory, heard=sent.record) as server, chromium.page() as (page, _):
        visitor = PageDriver(page, server, seconds=effort.seconds)
        arrived = visitor.load(bundle.loader_file, backend)
        first = visitor.first_run(samples[0])
        received = sent.bytes
        visitor.hold_samples(samples)
        times = [visitor.run(sample).ms for sample in sample_order(samples, effort)]
        answers = [visitor.decode_sample(index) for index in range(len(samples))]
        visitor.dispose()
    kind = kind_of(bundle.manifest.task)
    found = [kind.detections(kind.read_result(answer)) for answer in answers]
    boxes = [[[e.box.x1, e.box.y1, e.box.x2, e.box.y2, e.score] for e in each] for each in found]
    adapter = str(arrived.info.adapter) if arrived.info.adapter else ""
    return PageMeasurement(
        adapter, received, arrived.session, arrived.loaded + first.ms, times[effort.warming :], boxes
    )


def sample_order(samples: Sequence[VerifyInput], effort: RunCounts) -> list[int]:
    """Return the samples that are run, by their numbers: one after another, and from the first again."""
    return [index % len(samples) for index in range(effort.warming + effort.runs)]


def matching_boxes(ours: PageMeasurement, theirs: PageMeasurement) -> tuple[int, int]:
    """Return how many boxes of the two are the same to an overlap of 0.9, and how many the larger side has."""
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
