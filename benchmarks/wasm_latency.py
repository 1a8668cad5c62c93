"""The time of a run in Chromium on WebAssembly: the export compared with the bundle's graph."""

from __future__ import annotations

import statistics
from pathlib import Path
from typing import Any

from webbuild.browser.chromium import open_chromium
from webbuild.browser.server import Server
from webbuild.manifest import manifest
from webbuild.manifest.file_entry import read_engine_wasm
from webbuild.manifest.manifest import ImageInput, OptionInput

PAGE = Path(__file__).with_name("page.html")


def medians(model: Path, bundle: Path, rounds: int) -> dict[str, float]:
    """Return the median milliseconds of alternating runs of `original` and `packed` on one picture and thread."""
    packed = manifest.decode((bundle / "manifest.json").read_bytes())
    image = next(spec for spec in packed.inputs if isinstance(spec, ImageInput))
    graph = next(graph for graph in packed.graphs if graph.target == "wasm")
    engine = next(build for build in packed.engines if build.build == "wasm")
    defaults = {spec.name: spec.default for spec in packed.inputs if isinstance(spec, OptionInput)}
    with Server(bundle) as server, open_chromium(webgpu=False) as browser, browser.page() as (page, _):
        server.virtual["/bench/page.html"] = ("text/html", PAGE.read_bytes())
        wasm = read_engine_wasm(bundle / engine.wasm)
        server.virtual["/bench/engine.wasm"] = ("application/wasm", wasm)
        server.virtual["/bench/original.onnx"] = ("application/octet-stream", model.read_bytes())
        at: Any = lambda path: f"{server.origin}/{path}"  # noqa: E731
        page.goto(at("bench/page.html"))
        page.wait_for_function("() => globalThis.compare !== undefined")
        original = {"name": "original", "file": at("bench/original.onnx"), "weights": [], "options": {}}
        ours = {
            "name": "packed",
            "file": at(graph.file),
            "weights": [at(path) for path in graph.weights],
            "options": defaults,
        }
        taken = page.evaluate(
            "options => compare(options)",
            {
                "entry": at(engine.entry),
                "glue": at(engine.glue),
                "wasm": at("bench/engine.wasm"),
                "graphs": [{**one, "input": image.name} for one in (original, ours)],
                "shape": image.shape,
                "seed": 1,
                "rounds": rounds,
            },
        )
    return {name: statistics.median(times) for name, times in taken.items()}
