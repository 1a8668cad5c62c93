"""Measures a page by hand and a bundle in one browser, on the same pictures."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from webbuild.bench.course import WARMING
from webbuild.bench.percentiles import percentile
from webbuild.bench.visitor import Sent, Visitor
from webbuild.browser.chromium import Chromium
from webbuild.browser.media_types import media_type
from webbuild.browser.server import Server
from webbuild.verify.inputs import Given
from webbuild.verify.opened import Bundle
from webbuild.verify.page_calls import PageCalls
from webbuild.verify.page_runner import PageRunner

ENGINE = ("ort.webgpu.min.mjs", "ort-wasm-simd-threaded.asyncify.mjs", "ort-wasm-simd-threaded.asyncify.wasm")
DIST = Path(__file__).parents[2] / "node_modules" / "onnxruntime-web" / "dist"
SECONDS = 120.0

Boxes = list[list[float]]


class Side(Struct, frozen=True):
    """One of the two: bytes of a first visit, milliseconds to a session, to a first result and of a run; its boxes."""

    adapter: str
    bytes: float
    session: float
    first_result: float
    p50: float
    p95: float
    found: list[Boxes]


def by_hand(chromium: Chromium, model: Path, backend: str, samples: Sequence[Given], runs: int) -> Side:
    """Measure the page by hand."""
    sent = Sent()
    engine = {f"/ort/{name}": (media_type(name), (DIST / name).read_bytes()) for name in ENGINE}
    with Server(model.parent, virtual=dict(engine), heard=sent.heard) as server, chromium.page() as (page, _):
        calls = PageCalls(page, server, SECONDS, "bench.plain", ["plain.js"])
        entry, address = f"{server.url}ort/{ENGINE[0]}", f"{server.url}{model.name}"
        loaded: dict[str, float] = calls.call("load", dict[str, float], entry=entry, model=address, backend=backend)
        first: float = calls.call("first", float, urls=calls.show(samples[0].files))
        received = sent.bytes
        for given in samples:
            calls.call("hold", None, urls=calls.show(given.files))
        times: list[float] = [calls.call("run", float, sample=index % len(samples)) for index in range(WARMING + runs)][
            WARMING:
        ]
        found: list[Boxes] = [calls.call("found", Boxes, sample=index) for index in range(len(samples))]
        calls.call("dispose", None)
    p50, p95 = (percentile(times, percent) for percent in (50, 95))
    return Side("", received, loaded["session"], loaded["loaded"] + first, p50, p95, found)


def bundled(chromium: Chromium, bundle: Bundle, backend: str, samples: Sequence[Given], runs: int) -> Side:
    """Measure the bundle, in a fresh profile, as `webbuild bench` does."""
    sent = Sent()
    with Server(bundle.directory, heard=sent.heard) as server, chromium.page() as (page, _):
        visitor = Visitor(page, server, seconds=SECONDS)
        arrived = visitor.load(bundle.entry, backend)
        first = visitor.first(samples[0])
        received = sent.bytes
        visitor.hold(samples)
        times = [visitor.run(index % len(samples)).ms for index in range(WARMING + runs)][WARMING:]
        visitor.dispose()
        runner = PageRunner(page, server, backend, seconds=SECONDS)
        runner.load(bundle.entry, backend)
        answers = [runner.picture(given.files, given.options) for given in samples]
        runner.dispose()
    boxes = [[[e.box.x1, e.box.y1, e.box.x2, e.box.y2, e.score] for e in answer.found] for answer in answers]
    adapter = str(arrived.info.adapter) if arrived.info.adapter else ""
    p50, p95 = (percentile(times, percent) for percent in (50, 95))
    return Side(adapter, received, arrived.session, arrived.loaded + first.ms, p50, p95, boxes)


def alike(ours: Side, theirs: Side) -> tuple[int, int]:
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
