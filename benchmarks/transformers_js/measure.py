"""Measure a pipeline of transformers.js on the same pictures as a bundle."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from benchmarks.npm_packages import ENGINE, TRANSFORMERS, fetch_package
from benchmarks.side_by_side.measure import PageMeasurement, RunCounts, sample_order
from benchmarks.side_by_side.pages import Boxes
from benchmarks.transformers_js.models import ShippedModel, token_count
from webbuild.bench.page_driver import SentFiles
from webbuild.browser.chromium import BrowserHandle
from webbuild.browser.media_types import media_type
from webbuild.browser.server import Server
from webbuild.manifest.manifest import GroundingTask, Manifest, OptionInput
from webbuild.verify.inputs import VerifyInput
from webbuild.verify.page_rpc import PageRpc

BUILD = "ort-wasm-simd-threaded.asyncify"
"""The engine build that transformers.js downloads in Chromium."""


def confidence(manifest: Manifest) -> float:
    """Return the threshold at which the bundle finds objects."""
    if isinstance(manifest.task, GroundingTask):
        return manifest.task.confidence
    options = [each for each in manifest.inputs if isinstance(each, OptionInput)]
    return next(each.default for each in options if each.option == "confidence")


def measure_pipeline(
    chromium: BrowserHandle,
    shipped: ShippedModel,
    laid: Path,
    backend: str,
    samples: Sequence[VerifyInput],
    *,
    threshold: float,
    effort: RunCounts,
) -> PageMeasurement:
    """Measure it in a fresh profile; `laid` is the model's folder in the Hub's layout. Raises PageError."""
    sent = SentFiles()
    files = {f"/library/{name}": fetch_package(TRANSFORMERS) / "dist" / name for name in ("transformers.min.js",)}
    files |= {
        f"/ort/{BUILD}.{ending}": fetch_package(ENGINE) / "dist" / f"{BUILD}.{ending}" for ending in ("mjs", "wasm")
    }
    virtual = {path: (media_type(file.name), file.read_bytes()) for path, file in files.items()}
    captions = [None if given.prompt is None else given.prompt.text for given in samples]
    with Server(laid.parent, virtual=virtual, on_request=sent.record) as server, chromium.page() as (page, _):
        calls = PageRpc(page, server, effort.seconds, "benchmarks.transformers_js", ["pipeline.js"])
        loaded: dict[str, float] = calls.call(
            "load",
            dict[str, float],
            entry=f"{server.origin}/library/transformers.min.js",
            engine=f"{server.origin}/ort/",
            models=server.url,
            name=shipped.name,
            task=shipped.pipeline,
            backend=backend,
            tokens=token_count(laid),
        )
        told = {"threshold": threshold}
        first: float = calls.call(
            "first", float, urls=calls.upload_images(samples[0].files), caption=captions[0], **told
        )
        received = sent.bytes
        for given, caption in zip(samples, captions, strict=True):
            calls.call("hold", None, urls=calls.upload_images(given.files), caption=caption)
        times: list[float] = [
            calls.call("run", float, sample=sample, **told) for sample in sample_order(samples, effort)
        ]
        found: list[Boxes] = [calls.call("found", Boxes, sample=index, **told) for index in range(len(samples))]
        calls.call("dispose", None)
    return PageMeasurement("", received, loaded["session"], loaded["loaded"] + first, times[effort.warming :], found)
