"""A visitor's page: it loads a bundle, runs it, and says how long that took."""

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
    """A run: milliseconds in all and by stage, and the backend of the graph that answered."""

    ms: float
    backend: str
    stages: dict[str, float]


class SentFiles(list[tuple[str, int]]):
    """The bodies that a server sent: hand `record` to it."""

    def record(self, path: str, size: int) -> None:
        """Note a body; called on the server's threads."""
        self.append((path, size))

    @property
    def bytes(self) -> int:
        """Those of the bundle, without the page that drives it and what that is given."""
        return sum(size for path, size in list(self) if not path.startswith(URL_PREFIX))


class PageDriver:
    """A page that has just been opened; see `PageRpc` for the errors of every call.

    Args:
        page: keeps what it had of the bundle, where it visited before.
        server: serves the bundle at its root.
        seconds: how long any one step may take.
    """

    def __init__(self, page: DrivenPage, server: Server, *, seconds: float) -> None:
        self._server = server
        self._worker = serve_counting_worker(server)
        self._calls = PageRpc(page, server, seconds, "webbuild.bench", ["bench.js", "memory.js"])

    def load(
        self, entry: str, backend: str, precision: str = "auto", *, examined: bool = False, watched: bool = False
    ) -> LoadTiming:
        """Load the bundle, counted where `examined`, with the engine's word on its nodes, or `watched` for `peak`."""
        address = f"{self._server.url}{entry}"
        worker = self._worker if examined or watched else None
        load_options = {"backend": backend, "precision": precision, "watched": watched}
        return self._calls.call("load", LoadTiming, entry=address, **load_options, worker=worker, trace=examined)

    def first_run(self, sample: VerifyInput) -> RunTiming:
        """Run a sample as it lies on the disk."""
        return self._calls.call("first", RunTiming, **self._served(sample))

    def hold_samples(self, samples: Sequence[VerifyInput]) -> None:
        """Decode samples, to be run by their numbers."""
        for sample in samples:
            self._calls.call("hold", None, **self._served(sample))

    def run(self, sample: int) -> RunTiming:
        """Run a sample that is held."""
        return self._calls.call("run", RunTiming, sample=sample)

    def decode_sample(self, sample: int) -> dict[str, Any]:
        """Return the result of a sample that is held; of poses and boxes, nothing that holds arrays."""
        return self._calls.call("answer", dict[str, Any], sample=sample)

    def read_counters(self) -> GpuCounters:
        """Return what the worker counted; of an examined model only."""
        return self._calls.call("counted", GpuCounters)

    def read_between_stages(self, sample: int) -> int | None:
        """Return the bytes that the first stage reads back for a held sample; None for a model of one stage."""
        return self._calls.call("between", int | None, sample=sample)

    def heap(self) -> int | None:
        """Return the bytes of JavaScript after a collection of garbage; None where the browser does not tell."""
        return self._calls.call("heap", int | None)

    def peak(self) -> int | None:
        """Return the most bytes of JavaScript and WebAssembly since a `watched` load.

        None as `heap`, and where one measurement is missing: there could have been more then.
        """
        return self._calls.call("peak", int | None)

    def dispose(self) -> None:
        """Free what the model holds."""
        self._calls.call("dispose", None)

    def _served(self, sample: VerifyInput) -> dict[str, Any]:
        if not sample.files:
            return {"urls": [], "feeds": self._calls.upload(sample.feeds), "options": {}, "second": []}
        urls = self._calls.upload_images([*sample.files, *([] if sample.second is None else [sample.second])])
        pictures, second = urls[: len(sample.files)], urls[len(sample.files) :]
        return {"urls": pictures, "feeds": None, "options": sample.options, "second": second}
