"""The compared pages: a bundle, and one for each library, with the same interface."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from msgspec import Struct

from webbuild.bench.page_driver import PageDriver, RunTiming, SentFiles
from webbuild.browser.driven_browser import DrivenPage
from webbuild.browser.media_types import media_type
from webbuild.browser.server import Server
from webbuild.tasks.registry import kind_of
from webbuild.verify.bundle import Bundle
from webbuild.verify.inputs import VerifyInput
from webbuild.verify.page_rpc import PageRpc

SECONDS = 300.0
"""Time limit of each step."""

Boxes = list[list[float]]


class Visit(Struct, frozen=True):
    """Downloaded bytes of a visit, milliseconds to a session and to the first result."""

    bytes: float
    session: float
    first_result: float


class PageCounters(Struct, frozen=True):
    """A page's GPU work so far, and its bytes on the GPU and in WebAssembly."""

    kernels: int
    gpu_bytes: int
    wasm_bytes: int


class VisitedPage(Protocol):
    """A page on one backend, and its adapter's name, empty if unknown."""

    server: Server
    adapter: str

    def visit(self, page: DrivenPage, backend: str, given: VerifyInput) -> Visit:
        """Load the model on an empty page and run the first picture."""

    def hold(self, samples: Sequence[VerifyInput]) -> None:
        """Decode samples, to be run by index."""

    def run(self, sample: int) -> float:
        """Run a decoded sample; return milliseconds."""

    def found(self, sample: int) -> Boxes:
        """Return the boxes of a decoded sample: corners and score."""

    def counters(self) -> PageCounters:
        """Return the counters."""


class LibraryPage:
    """A hand-written page with one library.

    Args:
        script: the page's own script in `page/`, in addition to the shared ones.
        model: a file or a folder; the page gets its address.
        files: the library's files by their paths on the server.
        given: other arguments of the page's `load`; `{origin}` is replaced by the server's origin.
    """

    adapter = ""

    def __init__(
        self,
        script: str,
        model: Path,
        files: Mapping[str, Path],
        given: Mapping[str, Any],
        seconds: float = SECONDS,
    ) -> None:
        self._script, self._seconds, self._given = script, seconds, given
        self._sent, self._model = SentFiles(), f"{model.name}/" if model.is_dir() else model.name
        virtual = {path: (media_type(file.name), file.read_bytes()) for path, file in files.items()}
        self.server = Server(model.parent, virtual=virtual, on_request=self._sent.record)

    def visit(self, page: DrivenPage, backend: str, given: VerifyInput) -> Visit:
        """See `VisitedPage`."""
        before = self._sent.bytes
        scripts = [self._script, "pose-page.js", "by-hand.js", "kernels.js"]
        self._calls = PageRpc(page, self.server, self._seconds, "benchmarks.side_by_side", scripts)
        options = {name: self._absolute(value) for name, value in self._given.items()}
        address = f"{self.server.url}{self._model}"
        loaded: dict[str, float] = self._calls.call("load", dict[str, float], model=address, backend=backend, **options)
        first: float = self._calls.call("first", float, urls=self._calls.upload_images(given.files))
        return Visit(self._sent.bytes - before, loaded["session"], loaded["session"] + first)

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

    def counters(self) -> PageCounters:
        """See `VisitedPage`."""
        counts: dict[str, int] = self._calls.call("counted", dict[str, int])
        return PageCounters(counts["dispatches"], counts["bufferBytes"], counts["wasmBytes"])

    def _absolute(self, value: Any) -> Any:
        if isinstance(value, Mapping):
            return {name: self._absolute(each) for name, each in value.items()}
        return value.format(origin=self.server.origin)


class BundlePage:
    """A bundle, driven as `webbuild bench` does."""

    adapter = ""

    def __init__(self, bundle: Bundle, seconds: float = SECONDS) -> None:
        self._seconds = seconds
        self._sent, self._bundle = SentFiles(), bundle
        self.server = Server(bundle.directory, on_request=self._sent.record)

    def visit(self, page: DrivenPage, backend: str, given: VerifyInput, *, counted: bool = False) -> Visit:
        """See `VisitedPage`; `counted` uses a worker that counts kernels, which is slower."""
        before = self._sent.bytes
        self._driver = PageDriver(page, self.server, seconds=self._seconds)
        loaded = self._driver.load(self._bundle.loader_file, backend, examined=counted)
        first = self._driver.first_run(given)
        self.adapter = str(loaded.info.adapter) if loaded.info.adapter else ""
        return Visit(self._sent.bytes - before, loaded.session, loaded.loaded + first.ms)

    def hold(self, samples: Sequence[VerifyInput]) -> None:
        """See `VisitedPage`."""
        self._driver.hold_samples(samples)

    def run(self, sample: int) -> float:
        """See `VisitedPage`."""
        return self.run_timed(sample).ms

    def run_timed(self, sample: int) -> RunTiming:
        """Run a decoded sample; return the bundle's timings."""
        return self._driver.run(sample)

    def found(self, sample: int) -> Boxes:
        """See `VisitedPage`."""
        kind = kind_of(self._bundle.manifest.task)
        found = kind.detections(kind.read_result(self._driver.decode_sample(sample)))
        return [[each.box.x1, each.box.y1, each.box.x2, each.box.y2, each.score] for each in found]

    def counters(self) -> PageCounters:
        """See `VisitedPage`; needs a visit with `counted`."""
        counts = self._driver.read_counters()
        return PageCounters(counts.dispatches, counts.buffer_bytes, counts.wasm_bytes)
