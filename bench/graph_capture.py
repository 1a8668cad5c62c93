"""Whether the engine's graph capture answers rightly where inputs change between runs, on each build that has it.

python -m bench.graph_capture
"""

from __future__ import annotations

import base64
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from msgspec import Struct

from webbuild import assets
from webbuild.browser.chromium import Chromium, chromium
from webbuild.browser.server import Server

PAGE = Path(__file__).with_suffix(".html")
MODEL = Path(__file__).parents[1] / "web" / "test" / "fixture" / "model" / "conv.onnx"
RUNS = 6
CLOSE = 1e-4
"""By how much answers may differ that are the same, where the largest number is about 5."""


class Told(Struct, frozen=True):
    """How far a session came, what it threw, and by how much an answer was off at worst."""

    build: str
    capture: bool
    bound: bool
    run: int
    error: str | None
    off: float
    largest: float

    @property
    def verdict(self) -> str:
        """What came of it, in words."""
        if self.error is not None:
            return f"run {self.run} threw: {self.error}"
        if not self.largest > 1:
            return "answered nothing"
        return "right" if self.off < CLOSE else f"silently wrong: off by {self.off:.2f} of {self.largest:.2f}"


def measure() -> Iterator[Told]:
    """Yield every combination, each on a page of its own: what traps takes the engine with it."""
    with Server(assets.ROOT) as server, chromium() as browser:
        server.virtual["/capture.html"] = ("text/html", PAGE.read_bytes())
        for spec, files in assets.engine_files():
            if spec.build == "wasm":
                continue
            paths = (f"{server.origin}/{file.relative_to(assets.ROOT).as_posix()}" for file in files)
            engine = dict(zip(("entry", "glue", "wasm"), paths, strict=True))
            for capture in (False, True):
                for bound in (False, True):
                    told = _on_a_page(browser, server, {"engine": engine, "capture": capture, "bound": bound})
                    yield Told(build=spec.build, capture=capture, bound=bound, **told)


def _on_a_page(browser: Chromium, server: Server, wanted: dict[str, Any]) -> dict[str, Any]:
    with browser.page() as (page, _):
        page.goto(f"{server.origin}/capture.html")
        page.wait_for_function("() => globalThis.measure !== undefined")
        model = base64.b64encode(MODEL.read_bytes()).decode()
        told: dict[str, Any] = page.evaluate("w => measure(w)", {**wanted, "model": model, "runs": RUNS})
        return told


def main() -> None:
    """Print a line for each."""
    print("| build | capture | outputs | |\n|---|---|---|---|")
    for told in measure():
        capture, outputs = "on" if told.capture else "off", "the caller's" if told.bound else "the engine's"
        print(f"| {told.build} | {capture} | {outputs} | {told.verdict} |", flush=True)


if __name__ == "__main__":
    main()
