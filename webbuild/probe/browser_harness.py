"""A browser page that runs batches of probes and returns raw responses; it survives hangs and crashes."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import msgspec
import numpy as np
from msgspec import Struct

from webbuild.browser.driven_browser import DrivenBrowser
from webbuild.browser.gpu_adapter import adapter_name
from webbuild.browser.tensor_transfer import to_little_endian_bytes
from webbuild.ortweb.build import OrtWebBuild
from webbuild.ortweb.build_page import BASE_PATH, BuildPage, PageDiedError, open_build_page
from webbuild.probe.probe_model import Array, Probe


class WireTensor(Struct, frozen=True):
    """A tensor as sent to and from the page: little-endian elements in base64."""

    type: str
    dims: list[int]
    data: str

    def array(self) -> Array:
        """Return the tensor. Raises ValueError if the number of elements does not match the shape."""
        return np.frombuffer(base64.b64decode(self.data), np.dtype(self.type)).reshape(self.dims)


class ProbeResponse(Struct, frozen=True):
    """The result of a probe. `stage` is where it failed: create, run, release, hang or crash; empty if it did not.

    `shader` is the shader compiler's message. `subgroups` is whether a shader compiled for the probe uses subgroups;
    cached shaders are not seen.
    """

    stage: str
    error: str
    log: list[str] = []
    outputs: dict[str, WireTensor] = {}
    shader: str = ""
    subgroups: bool = False


class ProbeHarness:
    """Measures probes on one build, at most `seconds` each."""

    def __init__(self, page: BuildPage, seconds: float) -> None:
        self._page, self._seconds = page, seconds

    def adapter(self) -> str:
        """Return the name of the page's WebGPU adapter, `none` for a WASM build.

        Raises:
            WebbuildError: `no-adapter` if there is none and the build needs one.
        """
        if self._page.build.target.build == "wasm":
            return "none"
        fields, browser = self._page.call("adapter"), self._page.browser.name
        return adapter_name(fields, browser, "unset WEBBUILD_GPU to measure on a software adapter")

    def features(self) -> set[str]:
        """Return the WebGPU features of the page's adapter."""
        return set(self._page.call("features") or ())

    def measure(self, probes: Sequence[Probe], *, fresh: bool = False) -> list[ProbeResponse]:
        """Return a response for each probe, in order. With `fresh`, start a new engine first.

        If the page crashes, it is replaced, and the probes of its batch run again one by one.

        Raises:
            WebbuildError: `engine-failed`, `chromium-crashed`.
        """
        try:
            return self._send(probes, fresh)
        except PageDiedError:
            return [self._measure_alone(probe) for probe in probes]

    def _measure_alone(self, probe: Probe) -> ProbeResponse:
        try:
            return self._send([probe], fresh=True)[0]
        except PageDiedError as error:
            return ProbeResponse("crash", str(error))

    def _send(self, probes: Sequence[Probe], fresh: bool) -> list[ProbeResponse]:
        engine, batch = self._page.build.worker_options(BASE_PATH), [_to_wire(probe) for probe in probes]
        answers = self._page.call("measure", engine=engine, seconds=self._seconds, fresh=fresh, batch=batch)
        return msgspec.json.decode(answers, type=list[ProbeResponse])


@contextmanager
def open_harness(browser: DrivenBrowser, build: OrtWebBuild, seconds: float = 60) -> Iterator[ProbeHarness]:
    """Serve a build and its measuring page while the context is open."""
    with open_build_page(browser, build, "webbuild.probe", "probe.js") as page:
        yield ProbeHarness(page, seconds)


def _to_wire(probe: Probe) -> dict[str, Any]:
    feeds = [
        {
            "name": name,
            "type": value.dtype.name,
            "dims": list(value.shape),
            "data": base64.b64encode(to_little_endian_bytes(value)).decode(),
        }
        for name, value in probe.feeds.items()
    ]
    return {
        "model": base64.b64encode(probe.model).decode(),
        "feeds": feeds if probe.run else None,
        "optimize": probe.run,
    }
