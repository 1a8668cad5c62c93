"""`webbuild pack --nms auto`: pack both forms of NMS, and time them alternately in Chromium."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from webbuild.bench.bench import bench
from webbuild.bench.nms_forms import RUNS, NmsChoice, choose_form, measure_forms
from webbuild.bench.report import BenchReport
from webbuild.browser.require_playwright import INSTALL_BROWSER, has_playwright
from webbuild.errors import WebbuildError
from webbuild.manifest.manifest import Manifest, decode
from webbuild.passes.base import NmsPlacement


def choose_nms(pack: Callable[[NmsPlacement, Path], object]) -> NmsChoice:
    """Return the faster form of NMS. It is measured every time: the result depends on browser and GPU.

    Args:
        pack: writes a bundle with a form of NMS to a folder.
    """
    with TemporaryDirectory(prefix="webbuild-nms-") as name:
        shader, graph = Path(name) / "shader", Path(name) / "graph"
        if not has_playwright():
            return choose_form(f"no browser; {INSTALL_BROWSER}")
        shader.mkdir()
        pack("shader", shader)
        if not _suppresses_in_shader(decode((shader / "manifest.json").read_bytes())):
            return NmsChoice("shader", "")
        graph.mkdir()
        pack("gpu", graph)
        try:
            times = measure_forms(shader, graph, _bench)
        except WebbuildError as error:
            times = error.message
    return choose_form(times)


def _suppresses_in_shader(manifest: Manifest) -> bool:
    return any(graph.suppression for stage in manifest.every_stage for graph in stage.graphs)


def _bench(folder: Path) -> BenchReport:
    return bench(folder, ["webgpu"], precision="fp32", runs=RUNS)
