"""What is searched: a model by itself, or a bundle's graph for a backend, with the inputs it is tried on."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import onnx_ir as ir
from msgspec import Struct

from webbuild import assets
from webbuild.archive import read_inputs
from webbuild.bisect.browser import Options
from webbuild.bisect.engine import Array
from webbuild.bisect.graph import Graph
from webbuild.dims import choose_sizes, parse_dims
from webbuild.errors import USAGE, WebbuildError
from webbuild.inspection.features import features
from webbuild.inspection.graph import frozen
from webbuild.inspection.measured import random_feeds
from webbuild.model import facts, load
from webbuild.passes._shapes import infer
from webbuild.probe.engine import Engine, cache_folder, engine
from webbuild.targets.target import Build, Target
from webbuild.verify.inputs import gather
from webbuild.verify.joined import whole
from webbuild.verify.opened import Bundle, open_bundle

LARGEST = 1 << 30
"""Bytes of weights that go into a session as one model."""


class Case(Struct, frozen=True):
    """One input, by the name that people know it by."""

    title: str
    feeds: dict[str, Array]


class Subject(Struct, frozen=True):
    """A graph, its inputs, the build that the backend is, and how the bundle makes its sessions.

    `features` are what the adapter must have: without them every session throws.
    """

    name: str
    sha256: str
    graph: Graph
    cases: tuple[Case, ...]
    engine: Engine
    options: Options
    assumptions: tuple[str, ...] = ()
    features: tuple[str, ...] = ()


class Asked(Struct, frozen=True):
    """What the command was given about its subject."""

    path: Path
    backend: str = "webgpu"
    jsep: bool = False
    outputs: tuple[str, ...] = ()
    inputs: tuple[Path, ...] = ()
    dims: tuple[str, ...] = ()
    precision: str = "fp32"

    @property
    def build(self) -> Build:
        """The build of the engine."""
        return "wasm" if self.backend == "wasm" else "jsep" if self.jsep else "webgpu"


def opened(asked: Asked) -> Subject:
    """Open a bundle, where the path is a folder, or a model.

    Raises:
        WebbuildError: what `open_bundle`, `load` and `choose_sizes` raise; `no-graph`, `too-large-to-bisect`,
            `no-such-output`, `wrong-input`, `unused-dimension`.
    """
    if asked.path.is_dir():
        return _bundle(asked, open_bundle(asked.path))
    return _model(asked)


def _bundle(asked: Asked, bundle: Bundle) -> Subject:
    name = asked.backend if asked.precision == "fp32" else f"{asked.backend} {asked.precision}"
    held = None if asked.jsep and asked.precision != "fp32" else bundle.graph(name)
    if held is None:
        raise WebbuildError(
            "no-graph",
            f"{asked.path}: the bundle holds no graph for {name}",
            "take the graph that it holds with --backend and --precision, or give the .onnx file instead of the bundle",
            exit_code=USAGE,
        )
    if asked.dims:
        raise WebbuildError(
            "unused-dimension",
            f"{asked.path}: --dim says nothing to a bundle, whose sizes are fixed",
            "leave --dim out, or give the .onnx file",
            exit_code=USAGE,
        )
    with whole(bundle, held) as path:
        source = load(path)
        graph = _graph(source.model.clone(), path, asked.outputs)
    cases = tuple(
        Case(given.title, {name: given.feeds[name] for name in graph.inputs if name in given.feeds})
        for given in gather(bundle, asked.inputs)
    )
    forced = set(held.cpu_nodes)
    nodes = tuple(index for index, node in enumerate(graph.nodes) if node.name in forced)
    build = engine(_target(asked), cache_folder()) if asked.jsep else _own(bundle, asked)
    options, needed = Options(cpu_nodes=nodes), tuple(held.features)
    return Subject(bundle.manifest.name, source.sha256, graph, cases, build, options, features=needed)


def _model(asked: Asked) -> Subject:
    source = load(asked.path)
    sizes = choose_sizes(source.facts, parse_dims(asked.dims))
    model = frozen(source.model, sizes.dims)
    needed = () if asked.backend == "wasm" else tuple(features(model))
    inputs = facts(asked.path.name, model).inputs
    graph = _graph(model, asked.path, asked.outputs)
    read = [fact for fact in inputs if fact.name in graph.inputs]
    wanted = {fact.name: (fact.dtype, fact.shape) for fact in read}
    mend = "save every input under its name, with its type and shape"
    cases = [Case(file.name, read_inputs(file, wanted, mend)) for file in asked.inputs]
    if not cases:
        cases = [Case("made-up numbers", random_feeds(asked.path.name, read))]
    build = engine(_target(asked), cache_folder())
    return Subject(asked.path.stem, source.sha256, graph, tuple(cases), build, Options(), sizes.assumptions, needed)


def _graph(model: ir.Model, path: Path, outputs: Sequence[str]) -> Graph:
    """Return a model's graph, its shapes inferred and its weights inside; the model is changed."""
    infer(model)
    weights = sum(value.const_value.nbytes for value in model.graph.initializers.values() if value.const_value)
    if weights > LARGEST:
        raise WebbuildError(
            "too-large-to-bisect",
            f"{path.name}: {weights >> 20} MiB of weights; a page is given {LARGEST >> 20} at most",
            "cut the model in two, with onnx.utils.extract_model, and search each part",
            exit_code=USAGE,
        )
    ir.external_data.load_to_model(model)
    return Graph(ir.to_proto(model), outputs)


def _target(asked: Asked) -> Target:
    return Target(assets.engine_version(), asked.build)


def _own(bundle: Bundle, asked: Asked) -> Engine:
    """Return the build that the bundle's own runtime takes in Chromium."""
    names = ("wasm", "jspi") if asked.backend == "wasm" else ("jspi", "asyncify")
    held = {build.build: build for build in bundle.manifest.engines}
    found = next((held[name] for name in names if name in held), None)
    if found is None:
        raise WebbuildError(
            "no-engine",
            f"{asked.path}: the bundle holds no build of the engine for {asked.backend}",
            "pack the model again",
        )
    target = Target(bundle.manifest.engine.version, asked.build)
    return Engine(target, *(bundle.directory / path for path in (found.entry, found.glue, found.wasm)))
