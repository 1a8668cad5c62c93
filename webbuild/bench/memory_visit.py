"""The visit that measures peak memory of the page and its workers, while they load and run once."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from webbuild.bench.page_driver import LoadTiming, PageDriver
from webbuild.bench.report import PeakMemory
from webbuild.bench.scenario import Scenario
from webbuild.browser.driven_browser import DrivenPage
from webbuild.manifest.manifest import Manifest
from webbuild.verify.bundle_reader import planned_gpu_bytes


def memory_visit(page: DrivenPage, scenario: Scenario, backend: str) -> PeakMemory:
    """Load and run once in a page with an empty browser cache. Raises PageError."""
    scenario.say(f"{backend}: memory")
    driver = PageDriver(page, scenario.server, seconds=scenario.seconds)
    loaded = driver.load(scenario.bundle.loader_file, backend, scenario.precision, watched=True)
    driver.first_run(scenario.samples[0])
    page_bytes, counters = driver.peak(), driver.read_counters()
    driver.dispose()
    graphs = loaded_graphs(loaded)
    is_planned = graphs == [LoadedGraph("webgpu", "fp32")]
    return PeakMemory(
        page=page_bytes,
        wasm=counters.wasm_bytes,
        gpu=counters.peak_buffer_bytes,
        weights=weight_bytes(scenario.bundle.manifest, graphs),
        planned=planned_gpu_bytes(scenario.bundle) if is_planned else None,
    )


class LoadedGraph(Struct, frozen=True):
    """The loaded graph of a stage: a stage that fails on WebGPU runs on WASM, while others stay on WebGPU."""

    backend: str
    precision: str


def loaded_graphs(loaded: LoadTiming) -> list[LoadedGraph]:
    """Return the loaded graph of each stage."""
    stages = [LoadedGraph(stage.backend, stage.precision.used) for stage in loaded.info.stages]
    return stages or [LoadedGraph(loaded.backend, loaded.info.precision.used)]


def weight_bytes(manifest: Manifest, loaded: Sequence[LoadedGraph]) -> int:
    """Return the bytes of the weights of the loaded graphs (one per stage), counting each file once."""
    sizes = {file.path: file.uncompressed_size for file in manifest.files}
    paths: dict[str, None] = {}
    for stage, taken in zip(manifest.every_stage, loaded, strict=True):
        graph = next(
            graph for graph in stage.graphs if (graph.target, graph.precision) == (taken.backend, taken.precision)
        )
        paths |= dict.fromkeys(graph.weights)
    return sum(sizes[path] for path in paths)
