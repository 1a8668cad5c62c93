"""A page that measures: batches of probes go in, raw answers come out, and neither a hang nor a crash ends it."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
from msgspec import Struct

from webbuild.browser.chromium import BrowserHandle
from webbuild.browser.gpu_adapter import adapter_name
from webbuild.browser.page_assets import load_page_assets
from webbuild.browser.server import Server
from webbuild.errors import WebbuildError
from webbuild.ortweb.build import OrtWebBuild
from webbuild.probe.probe_model import Array, Probe

if TYPE_CHECKING:
    from playwright.sync_api import Page

_BASE_PATH = "/probe/"
_TYPES = {np.dtype(name): name for name in ("float32", "float64", "float16", "int8", "int16", "int32", "int64")} | {
    np.dtype(name): name for name in ("uint8", "uint16", "uint32", "uint64", "bool")
}


class WireTensor(Struct, frozen=True):
    """A tensor on the wire, its elements little-endian in base64."""

    type: str
    dims: list[int]
    data: str

    def array(self) -> Array:
        """Return the tensor. Raises ValueError where the elements do not fill the shape."""
        return np.frombuffer(base64.b64decode(self.data), np.dtype(self.type)).reshape(self.dims)


class ProbeResponse(Struct, frozen=True):
    """What became of a probe. `stage` is empty, or where it ended: create, run, release, hang, crash."""

    stage: str
    error: str
    log: list[str] = []
    outputs: dict[str, WireTensor] = {}


class ProbeHarness:
    """Measures probes on one engine, `seconds` each at most."""

    def __init__(self, chromium: BrowserHandle, engine: OrtWebBuild, server: Server, seconds: float) -> None:
        self._chromium, self._engine, self._server, self._seconds = chromium, engine, server, seconds
        self._page: Page | None = None

    def adapter(self) -> str:
        """Return the name of the page's WebGPU adapter, `none` for a build that uses none.

        Raises:
            WebbuildError: `no-adapter` where there is none and the build needs one.
        """
        if self._engine.target.build == "wasm":
            return "none"
        found = self._open().evaluate("globalThis.adapter()")
        return adapter_name(found, "unset WEBBUILD_GPU to measure on a software adapter")

    def measure(self, probes: Sequence[Probe], *, fresh: bool = False) -> list[ProbeResponse]:
        """Return an answer for each probe, in order. With `fresh`, a new engine begins.

        A page that crashes is replaced, and the probes of its batch go again one by one.

        Raises:
            WebbuildError: `engine-failed`, `chromium-crashed`.
        """
        try:
            return self._send(probes, fresh)
        except _PageDiedError:
            self.close()
        return [self._measure_alone(probe) for probe in probes]

    def close(self) -> None:
        """Close the page; the next batch opens another."""
        if self._page is not None:
            with suppress(Exception):  # a page that crashed may not close
                self._page.context.close()
        self._page = None

    def _measure_alone(self, probe: Probe) -> ProbeResponse:
        try:
            return self._send([probe], fresh=True)[0]
        except _PageDiedError as error:
            self.close()
            return ProbeResponse("crash", str(error))

    def _send(self, probes: Sequence[Probe], fresh: bool) -> list[ProbeResponse]:
        from playwright.sync_api import Error

        request = {
            "engine": self._engine.worker_options(_BASE_PATH),
            "seconds": self._seconds,
            "fresh": fresh,
            "batch": [_to_wire(probe) for probe in probes],
        }
        try:
            reply = self._open().evaluate("request => globalThis.probe(request)", json.dumps(request))
        except Error as error:
            if not self._chromium.browser.is_connected():
                raise WebbuildError(
                    "chromium-crashed", "chromium: it ended while it measured", "go on with --resume"
                ) from error
            if "the engine did not start" in error.message:
                raise WebbuildError(
                    "engine-failed",
                    f"{self._engine.target.name}: {error.message.splitlines()[0]}",
                    "check the build in this browser; see `webbuild verify`",
                ) from error
            raise _PageDiedError(error.message.splitlines()[0]) from error
        return msgspec.json.decode(reply, type=list[ProbeResponse])

    def _open(self) -> Page:
        if self._page is None:
            self._page = self._chromium.browser.new_context().new_page()
            self._page.goto(f"{self._server.origin}{_BASE_PATH}index.html")
            self._page.wait_for_function("() => globalThis.probe !== undefined")
        return self._page


class _PageDiedError(Exception):
    """The page, not the model, is gone."""


@contextmanager
def open_harness(chromium: BrowserHandle, engine: OrtWebBuild, seconds: float = 60) -> Iterator[ProbeHarness]:
    """Serve an engine and the page that measures it, for a block."""
    virtual = load_page_assets("webbuild.probe", ("index.html", "probe.js", "worker.js"), _BASE_PATH)
    with (
        TemporaryDirectory() as root,
        Server(Path(root), virtual={**virtual, **engine.virtual_files(_BASE_PATH)}) as server,
    ):
        made = ProbeHarness(chromium, engine, server, seconds)
        try:
            yield made
        finally:
            made.close()


def _to_wire(probe: Probe) -> dict[str, Any]:
    feeds = [
        {
            "name": name,
            "type": _TYPES[value.dtype],
            "dims": list(value.shape),
            "data": base64.b64encode(np.ascontiguousarray(value).tobytes()).decode(),
        }
        for name, value in probe.feeds.items()
    ]
    return {
        "model": base64.b64encode(probe.model).decode(),
        "feeds": feeds if probe.run else None,
        "optimise": probe.run,
    }
