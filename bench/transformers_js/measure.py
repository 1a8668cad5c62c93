"""Measures a pipeline of transformers.js on the pictures that a bundle is measured on."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from bench.plain.measure import Boxes, Effort, Side, order
from bench.transformers_js.models import Shipped, tokens
from bench.transformers_js.packages import ENGINE, TRANSFORMERS, unpacked
from webbuild.bench.visitor import Sent
from webbuild.browser.chromium import Chromium
from webbuild.browser.media_types import media_type
from webbuild.browser.server import Server
from webbuild.manifest import Manifest, OptionInput, PhrasesTask
from webbuild.tasks.phrases import thresholds
from webbuild.verify.inputs import Given
from webbuild.verify.page_calls import PageCalls

BUILD = "ort-wasm-simd-threaded.asyncify"
"""Of the engine, the build that transformers.js asks a host for in Chromium."""


def confidence(manifest: Manifest) -> float:
    """Return the threshold at which the bundle finds objects."""
    if isinstance(manifest.task, PhrasesTask):
        return float(thresholds(manifest.task)["confidence"])
    options = [each for each in manifest.inputs if isinstance(each, OptionInput)]
    return next(each.default for each in options if each.option == "confidence")


def pipelined(
    chromium: Chromium,
    shipped: Shipped,
    laid: Path,
    backend: str,
    samples: Sequence[Given],
    *,
    threshold: float,
    effort: Effort,
) -> Side:
    """Measure it, in a fresh profile; `laid` is the model as it is laid out. Raises PageError."""
    sent = Sent()
    files = {f"/library/{name}": unpacked(TRANSFORMERS) / "dist" / name for name in ("transformers.min.js",)}
    files |= {f"/ort/{BUILD}.{ending}": unpacked(ENGINE) / "dist" / f"{BUILD}.{ending}" for ending in ("mjs", "wasm")}
    virtual = {path: (media_type(file.name), file.read_bytes()) for path, file in files.items()}
    captions = [None if given.prompt is None else given.prompt.text for given in samples]
    with Server(laid.parent, virtual=virtual, heard=sent.heard) as server, chromium.page() as (page, _):
        calls = PageCalls(page, server, effort.seconds, "bench.transformers_js", ["pipeline.js"])
        loaded: dict[str, float] = calls.call(
            "load",
            dict[str, float],
            entry=f"{server.origin}/library/transformers.min.js",
            engine=f"{server.origin}/ort/",
            models=server.url,
            name=shipped.name,
            task=shipped.pipeline,
            backend=backend,
            tokens=tokens(laid),
        )
        told = {"threshold": threshold}
        first: float = calls.call("first", float, urls=calls.show(samples[0].files), caption=captions[0], **told)
        received = sent.bytes
        for given, caption in zip(samples, captions, strict=True):
            calls.call("hold", None, urls=calls.show(given.files), caption=caption)
        times: list[float] = [calls.call("run", float, sample=sample, **told) for sample in order(samples, effort)]
        found: list[Boxes] = [calls.call("found", Boxes, sample=index, **told) for index in range(len(samples))]
        calls.call("dispose", None)
    return Side("", received, loaded["session"], loaded["loaded"] + first, times[effort.warming :], found)
