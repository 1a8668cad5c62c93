"""The form of suppression that `webbuild pack --nms auto` takes: both are packed, and measured in Chromium in turns."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

from webbuild.bench.bench import bench
from webbuild.bench.nms_forms import RUNS, Bench, NmsChoice, choose_form, measure_forms
from webbuild.bench.report import BenchReport
from webbuild.browser.require_playwright import INSTALL_BROWSER, has_playwright
from webbuild.commands.options.pack import PackArguments
from webbuild.errors import WebbuildError
from webbuild.manifest.manifest import Manifest, decode
from webbuild.passes.base import NmsPlacement
from webbuild.runners.content_cache import ContentCache
from webbuild.runners.content_hash import hash_environment, hash_model, hash_parts

_UNRELATED = {"out", "force", "as_json", "no_verify", "dry_run", "no_cache"}
"""Options that change nothing of what is measured."""


def choose_nms(
    arguments: PackArguments,
    models: list[Path],
    pack: Callable[[NmsPlacement, Path], object],
    cache: ContentCache | None,
    measure: Bench | None = None,
) -> NmsChoice:
    """Return the form that is taken. What was measured is kept under the content of the models and the options.

    Args:
        arguments: the options.
        models: the files.
        pack: writes a bundle with a form of suppression into a folder.
        cache: keeps the choice.
        measure: benches a bundle.
    """
    options = sorted((name, repr(value)) for name, value in _fields(arguments).items() if name not in _UNRELATED)
    key = hash_parts("nms", hash_environment(), *(hash_model(each) for each in models), repr(options))
    if cache is not None and (kept := cache.read(key)) is not None:
        return msgspec.json.decode(kept, type=NmsChoice)
    with TemporaryDirectory(prefix="webbuild-nms-") as name:
        shader, graph = Path(name) / "shader", Path(name) / "graph"
        if measure is None and not has_playwright():
            return choose_form(f"no browser; {INSTALL_BROWSER}")
        shader.mkdir()
        pack("shader", shader)
        if not _suppresses_in_shader(decode((shader / "manifest.json").read_bytes())):
            return NmsChoice("shader", "")
        graph.mkdir()
        pack("gpu", graph)
        try:
            found = measure_forms(shader, graph, measure or _bench)
        except WebbuildError as error:
            found = error.message
    choice = choose_form(found)
    if cache is not None and not isinstance(found, str):
        cache.write(key, msgspec.json.encode(choice))
    return choice


def _fields(arguments: PackArguments) -> dict[str, object]:
    return {field.name: getattr(arguments, field.name) for field in dataclasses.fields(arguments)}


def _suppresses_in_shader(manifest: Manifest) -> bool:
    return any(graph.suppression for stage in manifest.every_stage for graph in stage.graphs)


def _bench(folder: Path) -> BenchReport:
    return bench(folder, ["webgpu"], precision="fp32", runs=RUNS)
