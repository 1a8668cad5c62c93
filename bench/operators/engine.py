"""The native WebGPU build of the engine in Chromium, for models of one operator."""

from __future__ import annotations

import base64
import gzip
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import webbuild
from webbuild.browser.chromium import Chromium, chromium
from webbuild.browser.server import Server

PAGE = Path(__file__).with_name("page.html")
ENGINE = Path(webbuild.__file__).parent / "_web" / "ort"
_GLUE = "ort-wasm-simd-threaded.jspi"

Tensors = Mapping[str, NDArray[Any]]
Answer = dict[str, NDArray[Any]] | str
"""Outputs by name, or what was thrown."""


@contextmanager
def engine() -> Iterator[Engine]:
    """Run Chromium with the engine for a block."""
    with Server(ENGINE) as server, chromium() as browser:
        server.virtual["/page.html"] = ("text/html", PAGE.read_bytes())
        wasm = gzip.decompress((ENGINE / f"{_GLUE}.wasm.gz").read_bytes())
        server.virtual["/engine.wasm"] = ("application/wasm", wasm)
        yield Engine(server, browser)


class Engine:
    """Runs models; a page that has thrown is left for a fresh one."""

    def __init__(self, server: Server, browser: Chromium) -> None:
        self._server = server
        self._browser = browser

    def answers(self, models: Sequence[tuple[bytes, Tensors]], **options: object) -> list[Answer]:
        """Return the answer of each model to its feeds; `options` are the provider's."""
        cases = [
            {"model": _text(m), "feeds": [_packed(*f) for f in feeds.items()], "options": options}
            for m, feeds in models
        ]
        told: list[Answer] = []
        while len(told) < len(cases):
            with self._browser.page() as (page, _):
                page.goto(f"{self._server.origin}/page.html")
                page.wait_for_function("() => globalThis.answers !== undefined")
                at = self._server.origin
                page.evaluate(
                    "f => start(f)",
                    {"entry": f"{at}/ort.jspi.min.mjs", "glue": f"{at}/{_GLUE}.mjs", "wasm": f"{at}/engine.wasm"},
                )
                got = page.evaluate("cases => answers(cases)", cases[len(told) :])
            told += [one.get("error") or {o["name"]: _unpacked(o) for o in one["outputs"]} for one in got]
        return told


def _packed(name: str, array: NDArray[Any]) -> dict[str, Any]:
    return {
        "name": name,
        "type": array.dtype.name,
        "dims": list(array.shape),
        "data": _text(np.ascontiguousarray(array).tobytes()),
    }


def _unpacked(told: dict[str, Any]) -> NDArray[Any]:
    raw = np.frombuffer(base64.b64decode(told["data"]), np.dtype(told["type"]))
    return raw.reshape(told["dims"])


def _text(data: bytes) -> str:
    return base64.b64encode(data).decode()
