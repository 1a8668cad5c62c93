"""Steady-state runs of the shipped bundles, alternating with hand-written pages on onnxruntime-web.

    python -m benchmarks.side_by_side.steady --write
    python -m benchmarks.side_by_side.steady --write --backend webgpu --adapter SwiftShader
    export WEBBUILD_CHROMIUM=.venv/lavapipe/chromium
    python -m benchmarks.side_by_side.steady --write --backend webgpu --adapter lavapipe

A hand-written page makes the input tensor on a canvas, runs the export and reads its outputs; it does not decode them.
If the engine cannot run the export, the page runs the bundle's graph.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from typing import Any

import msgspec
from msgspec import Struct
from PIL import Image

from benchmarks.page_markers import replace_marked
from benchmarks.side_by_side.libraries import INSTALLED, PLAIN_FILES
from benchmarks.side_by_side.pages import SECONDS, BundlePage
from webbuild.browser.chromium import BrowserHandle, open_chromium
from webbuild.browser.driven_browser import DrivenPage
from webbuild.browser.media_types import media_type
from webbuild.browser.server import Server
from webbuild.manifest.manifest import ImageInput, StackInput
from webbuild.verify.bundle import Bundle
from webbuild.verify.bundle_reader import open_bundle
from webbuild.verify.inputs import VerifyInput, collect_inputs
from webbuild.verify.page_rpc import PageError, PageRpc

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "side-by-side.md"
FILE = ROOT / "benchmarks" / "results" / "steady.json"
FRAME = (1280, 720)
WARMUP = {"wasm": 60, "webgpu": 8}
"""Warm-up runs: Chromium compiles WebAssembly twice, and the second code runs twice as fast."""
MODELS = {
    "pose": "yolo-pose.onnx",
    "Grounding DINO": "grounding-dino/grounding-dino.onnx",
    "RT-DETR": "rt-detr/rt-detr.onnx",
    "Mask2Former": "mask2former-swin/mask2former.onnx",
    "depth": "depth-from-focus/depth-from-focus.onnx",
}


class SteadyRow(Struct, frozen=True):
    """Medians of a model on an adapter, in milliseconds.

    `ratio` is the median of the bundle's time divided by the hand-written page's in the same turn. For a picture of
    1280 x 720, `engine` is the engine's part of the bundle's run, `outside` the rest.
    """

    adapter: str
    model: str
    runs: int
    by_hand: float
    bundle: float
    ratio: float
    outside: float
    engine: float
    own_graph: bool


class HandPage:
    """A hand-written page that runs a graph on decoded pictures."""

    def __init__(self, bundle: Bundle, model: Path) -> None:
        self._bundle, self._model, self.own_graph = bundle, model, False
        files = {f"/ort/{name}": INSTALLED / name for name in PLAIN_FILES} | {"/export.onnx": model}
        virtual = {path: (media_type(file.name), file.read_bytes()) for path, file in files.items()}
        self.server = Server(bundle.directory, virtual=virtual)

    def load(self, page: DrivenPage, backend: str, samples: Sequence[VerifyInput]) -> None:
        """Load the export, or the bundle's graph, and decode the samples."""
        self._calls = PageRpc(page, self.server, SECONDS, "benchmarks.side_by_side", ["network.js"])
        spec = next(each for each in self._bundle.manifest.inputs if isinstance(each, ImageInput | StackInput))
        graph = next(each for each in self._bundle.manifest.graphs if each.target == backend)
        feeds = {name: value for name, value in samples[0].feeds.items() if name != spec.name}
        given: dict[str, Any] = {
            "entry": f"{self.server.origin}/ort/{PLAIN_FILES[0]}",
            "backend": backend,
            "feeds": self._calls.upload(feeds),
            "input": {
                "name": spec.name,
                "shape": spec.shape,
                "stretch": spec.letterbox.mode == "stretch",
                "scale": spec.scale,
                "mean": spec.mean,
                "std": spec.std,
            },
        }
        origin = self.server.origin
        try:
            self._start(samples, model=f"{origin}/export.onnx", weights=[], **given)
        except PageError as error:
            self.own_graph = True
            print(f"{self._model.name}: the bundle's graph, since the export does not run: {error}", file=sys.stderr)
            weights = [f"{origin}/{path}" for path in graph.weights]
            self._start(samples, model=f"{origin}/{graph.file}", weights=weights, **given)

    def _start(self, samples: Sequence[VerifyInput], **given: Any) -> None:
        self._calls.call("load", None, **given)
        for sample in samples:
            self._calls.call("hold", None, urls=self._calls.upload_images(sample.files))
        self.run(0)

    def run(self, sample: int) -> float:
        """Run a decoded sample; return milliseconds."""
        taken: float = self._calls.call("run", float, sample=sample)
        return taken


def measure(chromium: BrowserHandle, name: str, backend: str, adapter: str, runs: int) -> SteadyRow:
    """Pack a model, and run both pages alternately: first on a sample, then the bundle on frames."""
    model = ROOT / "models" / MODELS[name]
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        pack = [sys.executable, "-m", "webbuild", "pack", str(model), "--no-verify", "-o", f"{folder}/bundle"]
        subprocess.run(pack, check=True, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        bundle = open_bundle(Path(folder, "bundle"))
        sample = collect_inputs(bundle, [])[0]
        samples = [sample, _as_frame(sample, Path(folder))]
        ours, hand = BundlePage(bundle), HandPage(bundle, model)
        for side in (ours, hand):
            stack.enter_context(side.server)
        page, _ = stack.enter_context(chromium.page())
        ours.visit(page, backend, sample)
        ours.hold(samples)
        page, _ = stack.enter_context(chromium.page())
        hand.load(page, backend, samples)
        warmup = WARMUP[backend]
        pairs = [_turn(ours, hand, index) for index in range(warmup + runs)][warmup:]
        frames = [ours.run_timed(1) for _ in range(warmup + runs)][warmup:]
        engine = [frame.stages["inference"] for frame in frames]
        return SteadyRow(
            adapter,
            name,
            runs,
            by_hand=median(theirs for _, theirs in pairs),
            bundle=median(mine for mine, _ in pairs),
            ratio=median(mine / theirs for mine, theirs in pairs),
            outside=median(frame.ms - own for frame, own in zip(frames, engine, strict=True)),
            engine=median(engine),
            own_graph=hand.own_graph,
        )


def _turn(ours: BundlePage, hand: HandPage, index: int) -> tuple[float, float]:
    if index % 2:
        theirs = hand.run(0)
        return ours.run(0), theirs
    return ours.run(0), hand.run(0)


def _as_frame(sample: VerifyInput, folder: Path) -> VerifyInput:
    """Return the sample with its pictures resized to a video frame."""
    files = []
    for index, file in enumerate(sample.files):
        files.append(folder / f"frame-{index}.jpg")
        Image.open(file).convert("RGB").resize(FRAME).save(files[-1])
    return msgspec.structs.replace(sample, file=files[0], stack=tuple(files) if len(files) > 1 else sample.stack)


def render(rows: Sequence[SteadyRow]) -> str:
    """Return the table."""
    lines = [
        "| | model | by hand | bundle | of by hand | engine, 1280 x 720 | outside of it | of it |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        note = " (graph of the bundle)" if row.own_graph else ""
        lines.append(
            f"| {row.adapter} | {row.model} | {row.by_hand:.1f} ms{note} | {row.bundle:.1f} ms | {row.ratio:.2f} "
            f"| {row.engine:.1f} ms | {row.outside:.1f} ms | {row.outside / row.engine:.0%} |"
        )
    return "\n".join(lines) + "\n"


def read(file: Path = FILE) -> list[SteadyRow]:
    """Return the stored rows."""
    return msgspec.json.decode(file.read_bytes(), type=list[SteadyRow]) if file.is_file() else []


def main() -> None:
    """Measure, print, and write with `--write`: the rows of other adapters and models stay."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--backend", choices=("wasm", "webgpu"), default="wasm")
    parser.add_argument("--model", action="append", choices=list(MODELS), help="only this one")
    parser.add_argument("--runs", type=int, default=30)
    parser.add_argument("--adapter", help="the adapter's name in rows of webgpu, such as SwiftShader")
    parser.add_argument("--write", action="store_true", help="write the JSON and the table of the page")
    options = parser.parse_args()
    if (options.backend == "webgpu") != (options.adapter is not None):
        parser.error("name the --adapter of --backend webgpu, and of no other")
    adapter = options.adapter or "WASM"
    rows = {(row.adapter, row.model): row for row in read()}
    with open_chromium() as chromium:
        for name in options.model or MODELS:
            row = measure(chromium, name, options.backend, adapter, options.runs)
            print(render([row]).splitlines()[-1], flush=True)
            rows[row.adapter, row.model] = row
            if options.write:
                FILE.write_bytes(msgspec.json.format(msgspec.json.encode(list(rows.values())), indent=1) + b"\n")
                replace_marked(PAGE, render(list(rows.values())), "steady")


if __name__ == "__main__":
    main()
