"""Drives a visitor's page, which loads a bundle, runs it, and returns the times."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from webbuild.browser.driven_browser import DrivenPage
from webbuild.browser.server import Server
from webbuild.verify.gpu_counters import GpuCounters, serve_counting_worker
from webbuild.verify.inputs import VerifyInput
from webbuild.verify.page_messages import ModelInfo, RuntimeWarningInfo
from webbuild.verify.page_rpc import URL_PREFIX, PageRpc


class LoadTiming(Struct, frozen=True):
    """Timing of `load()`, in milliseconds since the loader was requested."""

    imported: float
    session: float
    loaded: float
    backend: str
    reason: str
    warnings: tuple[RuntimeWarningInfo, ...]
    info: ModelInfo


class RunTiming(Struct, frozen=True):
    """A run: total milliseconds, milliseconds by stage, and the backend that ran it."""

    ms: float
    backend: str
    stages: dict[str, float]


class SentFiles(list[tuple[str, int]]):
    """The response bodies that a server sent; pass `record` to the server."""

    def record(self, path: str, size: int) -> None:
        """Add a response body; called on the server's threads."""
        self.append((path, size))

    @property
    def bytes(self) -> int:
        """The bytes of the bundle's files, without the driving page and its inputs."""
        return sum(size for path, size in list(self) if not path.startswith(URL_PREFIX))


class PageDriver:
    """Drives a new page; see `PageRpc` for the errors of every call.

    Args:
        page: a page; it keeps the browser cache of earlier visits.
        server: serves the bundle at its root.
        seconds: the time limit of each step.
    """

    def __init__(self, page: DrivenPage, server: Server, *, seconds: float) -> None:
        self._server = server
        self._worker = serve_counting_worker(server)
        self._calls = PageRpc(page, server, seconds, "webbuild.bench", ["bench.js", "memory.js"])

    def load(
        self, entry: str, backend: str, precision: str = "auto", *, examined: bool = False, watched: bool = False
    ) -> LoadTiming:
        """Load the bundle; with `examined`, count GPU calls and trace nodes; with `watched`, measure `peak`."""
        address = f"{self._server.url}{entry}"
        worker = self._worker if examined or watched else None
        load_options = {"backend": backend, "precision": precision, "watched": watched}
        return self._calls.call("load", LoadTiming, entry=address, **load_options, worker=worker, trace=examined)

    def first_run(self, sample: VerifyInput) -> RunTiming:
        """Run a sample from its file."""
        return self._calls.call("first", RunTiming, **self._served(sample))

    def hold_samples(self, samples: Sequence[VerifyInput]) -> None:
        """Decode samples in the page, to run them by index."""
        for sample in samples:
            self._calls.call("hold", None, **self._served(sample))

    def run(self, sample: int) -> RunTiming:
        """Run a decoded sample."""
        return self._calls.call("run", RunTiming, sample=sample)

    def decode_sample(self, sample: int) -> dict[str, Any]:
        """Return the result of a decoded sample; only for poses and boxes, not for results with arrays."""
        return self._calls.call("answer", dict[str, Any], sample=sample)

    def read_counters(self) -> GpuCounters:
        """Return the worker's counters; only for a model loaded with `examined` or `watched`."""
        return self._calls.call("counted", GpuCounters)

    def read_between_stages(self, sample: int) -> int | None:
        """Return the bytes that the first stage reads back for a decoded sample; None for a single stage."""
        return self._calls.call("between", int | None, sample=sample)

    def heap(self) -> int | None:
        """Return the bytes of JavaScript after a garbage collection; None if the browser does not report them."""
        return self._calls.call("heap", int | None)

    def peak(self) -> int | None:
        """Return the peak bytes of JavaScript and WebAssembly since a `watched` load.

        None like `heap`, and if one measurement is missing, because the peak may have been then.
        """
        return self._calls.call("peak", int | None)

    def dispose(self) -> None:
        """Free the model's resources."""
        self._calls.call("dispose", None)

    def _served(self, sample: VerifyInput) -> dict[str, Any]:
        if not sample.files:
            return {"urls": [], "feeds": self._calls.upload(sample.feeds), "options": {}, "second": []}
        urls = self._calls.upload_images([*sample.files, *([] if sample.second is None else [sample.second])])
        pictures, second = urls[: len(sample.files)], urls[len(sample.files) :]
        return {"urls": pictures, "feeds": None, "options": sample.options, "second": second}
