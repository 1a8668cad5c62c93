"""The visit that measures memory: what the page and its workers hold at their most, while they load and run once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from webbuild.bench.page_driver import PageDriver
from webbuild.bench.report import PeakMemory
from webbuild.bench.scenario import Scenario
from webbuild.manifest.manifest import Manifest

if TYPE_CHECKING:
    from playwright.sync_api import Page


def memory_visit(page: Page, scenario: Scenario, backend: str) -> PeakMemory:
    """Load and run once in a page of a profile that knows nothing of the bundle. Raises PageError."""
    scenario.say(f"{backend}: memory")
    visitor = PageDriver(page, scenario.server, seconds=scenario.seconds)
    visitor.load(scenario.bundle.loader_file, backend, scenario.precision, watched=True)
    visitor.first_run(scenario.samples[0])
    page_bytes, counters = visitor.peak(), visitor.read_counters()
    visitor.dispose()
    return PeakMemory(
        page=page_bytes,
        wasm=counters.wasm_bytes,
        gpu=counters.peak_buffer_bytes,
        weights=weight_bytes(scenario.bundle.manifest, backend),
    )


def weight_bytes(manifest: Manifest, backend: str) -> int:
    """Return the bytes of the weights that a backend's graphs have, of all stages, each file once."""
    sizes = {file.path: file.uncompressed_size for file in manifest.files}
    graphs = [
        next((graph for graph in stage.graphs if graph.target == backend), None) for stage in manifest.every_stage
    ]
    return sum(sizes[path] for path in dict.fromkeys(path for graph in graphs if graph for path in graph.weights))
