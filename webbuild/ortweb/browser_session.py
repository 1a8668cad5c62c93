"""Sessions of a build of onnxruntime-web in a browser: the page fetches models and tensors by URL."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

import msgspec
import numpy as np
from msgspec import Struct

from webbuild.browser.driven_browser import DrivenBrowser, browser_title
from webbuild.browser.gpu_adapter import adapter_name
from webbuild.browser.tensor_transfer import fetch_bytes, to_little_endian_bytes
from webbuild.errors import USAGE, WebbuildError
from webbuild.ortweb import build as builds
from webbuild.ortweb.build_page import BASE_PATH, BuildPage, PageDiedError, open_build_page
from webbuild.runners.session import Array, ModelRunResult, OutputCallback, RunStatus
from webbuild.subgraph.extract import MAX_COPIES, extracted_name


class SessionOptions(Struct, frozen=True):
    """Options of the session and its execution provider, as onnxruntime-web names them.

    `cpu_nodes` are indices of nodes to place on the CPU.
    """

    provider: dict[str, Any] = {}
    session: dict[str, Any] = {}
    cpu_nodes: tuple[int, ...] = ()

    def session_options(self, provider: str, copies: int = 1) -> dict[str, Any]:
        """Return the options of a session. A subgraph can have up to `copies` copies of each node in `cpu_nodes`."""
        names = [extracted_name(index, copy) for index in self.cpu_nodes for copy in range(copies)]
        forced = {"forceCpuNodeNames": names} if names else {}
        return {**self.session, "executionProviders": [{"name": provider, **self.provider, **forced}]}


class _Output(Struct, frozen=True):
    name: str
    type: str
    dims: list[int]
    bytes: int


class _Reply(Struct, frozen=True):
    ending: RunStatus
    message: str
    log: list[str]
    outputs: list[_Output]
    shader: str = ""


class BrowserSession:
    """Runs models on one build in one page. The worker restarts after a failure or a hang, the page after a crash."""

    def __init__(self, page: BuildPage, options: SessionOptions, seconds: float) -> None:
        self._page, self._build = page, page.build
        self._options, self._seconds = options, seconds
        self.adapter = self._adapter()

    @property
    def name(self) -> str:
        """The build, the browser and its adapter."""
        return f"onnxruntime-web {self._build.target.name} in {browser_title(self._page.browser)} on {self.adapter}"

    def missing_features(self, features: Sequence[str]) -> list[str]:
        """Return the WebGPU features among these that the adapter lacks."""
        return sorted(set(features) - set(self._page.call("features") or ()))

    def require_features(self, features: Sequence[str]) -> None:
        """Raise unless the adapter has the features that a graph needs.

        Raises:
            WebbuildError: `missing-adapter-feature`.
        """
        if features and (missing := self.missing_features(features)):
            lacks = f"{self.adapter} has no {', '.join(missing)}, which every session needs"
            raise WebbuildError(
                "missing-adapter-feature",
                f"{self._page.browser.name.lower()}: {lacks}",
                "search on a GPU that has it (WEBBUILD_GPU=real), or search the float32 graph",
                exit_code=USAGE,
            )

    def run_model(
        self, model: bytes, feeds: Mapping[str, Array], take: OutputCallback, *, verbose: bool = False
    ) -> ModelRunResult:
        """Run a model. See `Engine`.

        Raises:
            WebbuildError: `chromium-crashed`, `engine-failed`.
        """
        options = self._options.session_options(self._build.target.build, MAX_COPIES)
        job = {**self._upload(model, feeds), "options": options, "verbose": verbose}
        engine = self._build.worker_options(BASE_PATH)
        try:
            value = self._page.call("attempt", engine=engine, job=job, seconds=self._seconds)
            reply = msgspec.convert(value, _Reply)
            for output in reply.outputs:
                take(output.name, self._take(output))
            return ModelRunResult(reply.ending, reply.message[:2000], tuple(reply.log), reply.shader)
        except PageDiedError as error:
            return ModelRunResult("crash", str(error))
        finally:
            for path in [path for path in self._files if path.startswith(f"{BASE_PATH}job/")]:
                del self._files[path]

    @property
    def _files(self) -> dict[str, tuple[str, bytes]]:
        """The virtual files served to the page, by path."""
        return self._page.server.virtual

    def _adapter(self) -> str:
        if self._build.target.build == "wasm":
            return "the CPU"
        return adapter_name(self._page.call("adapter"), self._page.browser.name)

    def _upload(self, model: bytes, feeds: Mapping[str, Array]) -> dict[str, Any]:
        described = []
        self._files[f"{BASE_PATH}job/model"] = ("application/octet-stream", model)
        for number, (name, value) in enumerate(feeds.items()):
            path = f"{BASE_PATH}job/{number}"
            self._files[path] = ("application/octet-stream", to_little_endian_bytes(value))
            described.append({"name": name, "type": value.dtype.name, "dims": list(value.shape), "url": path})
        return {"model": f"{BASE_PATH}job/model", "feeds": described}

    def _take(self, output: _Output) -> Array:
        def piece(start: int, most: int) -> str:
            return str(self._page.call("take", name=output.name, offset=start, length=most))

        data = fetch_bytes(output.bytes, piece)
        self._page.call("drop", name=output.name)
        return np.frombuffer(data, np.dtype(output.type).newbyteorder("<")).reshape(output.dims)


@contextmanager
def open_sessions(
    browser: DrivenBrowser, engines: Sequence[tuple[builds.OrtWebBuild, SessionOptions]], seconds: float = 300
) -> Iterator[list[BrowserSession]]:
    """Serve builds and the page that runs them; a context manager that returns a session per build.

    Raises:
        WebbuildError: `no-adapter`.
    """
    with ExitStack() as stack:
        pages = [
            stack.enter_context(open_build_page(browser, build, "webbuild.ortweb", "session.js"))
            for build, _ in engines
        ]
        yield [BrowserSession(page, options, seconds) for page, (_, options) in zip(pages, engines, strict=True)]
