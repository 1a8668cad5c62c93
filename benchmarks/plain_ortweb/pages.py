"""The two pages that are compared: a page by hand, and one that loads a bundle. Both are asked the same."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from msgspec import Struct

from webbuild.bench.page_driver import PageDriver, SentFiles
from webbuild.browser.media_types import media_type
from webbuild.browser.server import Server
from webbuild.tasks.registry import kind_of
from webbuild.verify.bundle import Bundle
from webbuild.verify.inputs import VerifyInput
from webbuild.verify.page_rpc import Page, PageRpc

ENGINE = ("ort.webgpu.min.mjs", "ort-wasm-simd-threaded.asyncify.mjs", "ort-wasm-simd-threaded.asyncify.wasm")
DIST = Path(__file__).parents[2] / "node_modules" / "onnxruntime-web" / "dist"
SECONDS = 120.0
"""What any one step may take."""

Boxes = list[list[float]]


class Visit(Struct, frozen=True):
    """Bytes that a visit fetched, milliseconds to a session and to the first result."""

    bytes: float
    session: float
    first_result: float


class VisitedPage(Protocol):
    """A page of one backend, and what its adapter is, empty where it does not say."""

    server: Server
    adapter: str

    def visit(self, page: Page, backend: str, given: VerifyInput) -> Visit:
        """Load the model on an empty page and run the first picture."""

    def hold(self, samples: Sequence[VerifyInput]) -> None:
        """Decode samples, to be run by their numbers."""

    def run(self, sample: int) -> float:
        """Run a sample that is held; return milliseconds."""

    def found(self, sample: int) -> Boxes:
        """Return the boxes of a sample that is held: corners and score."""


class PlainPage:
    """Plain onnxruntime-web."""

    adapter = ""

    def __init__(self, model: Path, seconds: float = SECONDS) -> None:
        self._seconds = seconds
        engine = {f"/ort/{name}": (media_type(name), (DIST / name).read_bytes()) for name in ENGINE}
        self._sent, self._model = SentFiles(), model.name
        self.server = Server(model.parent, virtual=dict(engine), heard=self._sent.record)

    def visit(self, page: Page, backend: str, given: VerifyInput) -> Visit:
        """See `VisitedPage`."""
        before = self._sent.bytes
        self._calls = PageRpc(page, self.server, self._seconds, "benchmarks.plain_ortweb", ["plain.js"])
        entry, address = f"{self.server.url}ort/{ENGINE[0]}", f"{self.server.url}{self._model}"
        loaded: dict[str, float] = self._calls.call(
            "load", dict[str, float], entry=entry, model=address, backend=backend
        )
        first: float = self._calls.call("first", float, urls=self._calls.upload_images(given.files))
        return Visit(self._sent.bytes - before, loaded["session"], loaded["loaded"] + first)

    def hold(self, samples: Sequence[VerifyInput]) -> None:
        """See `VisitedPage`."""
        for given in samples:
            self._calls.call("hold", None, urls=self._calls.upload_images(given.files))

    def run(self, sample: int) -> float:
        """See `VisitedPage`."""
        taken: float = self._calls.call("run", float, sample=sample)
        return taken

    def found(self, sample: int) -> Boxes:
        """See `VisitedPage`."""
        boxes: Boxes = self._calls.call("found", Boxes, sample=sample)
        return boxes


class BundlePage:
    """A bundle, driven as `webbuild bench` does."""

    adapter = ""

    def __init__(self, bundle: Bundle, seconds: float = SECONDS) -> None:
        self._seconds = seconds
        self._sent, self._bundle = SentFiles(), bundle
        self.server = Server(bundle.directory, heard=self._sent.record)

    def visit(self, page: Page, backend: str, given: VerifyInput) -> Visit:
        """See `VisitedPage`."""
        before = self._sent.bytes
        self._driver = PageDriver(page, self.server, seconds=self._seconds)
        loaded = self._driver.load(self._bundle.loader_file, backend)
        first = self._driver.first_run(given)
        self.adapter = str(loaded.info.adapter) if loaded.info.adapter else ""
        return Visit(self._sent.bytes - before, loaded.session, loaded.loaded + first.ms)

    def hold(self, samples: Sequence[VerifyInput]) -> None:
        """See `VisitedPage`."""
        self._driver.hold_samples(samples)

    def run(self, sample: int) -> float:
        """See `VisitedPage`."""
        return self._driver.run(sample).ms

    def found(self, sample: int) -> Boxes:
        """See `VisitedPage`."""
        kind = kind_of(self._bundle.manifest.task)
        found = kind.detections(kind.read_result(self._driver.decode_sample(sample)))
        return [[each.box.x1, each.box.y1, each.box.x2, each.box.y2, each.score] for each in found]
