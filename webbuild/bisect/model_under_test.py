"""The model under test: an ONNX file, or a bundle's graph for a backend, with its inputs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import onnx_ir as ir
from msgspec import Struct

from webbuild.errors import USAGE, WebbuildError
from webbuild.inspection.graph import with_fixed_sizes
from webbuild.inspection.required_features import required_features
from webbuild.model.cache_folder import cache_folder
from webbuild.model.load import load_onnx
from webbuild.model.read_signature import read_signature
from webbuild.ortweb import packaged_assets
from webbuild.ortweb.browser_session import SessionOptions
from webbuild.ortweb.build import OrtWebBuild, get_build
from webbuild.passes.analysis.input_ranges import input_ranges
from webbuild.passes.analysis.shape_inference import infer_shapes
from webbuild.runners.native import NativeRunner
from webbuild.runners.session import Array
from webbuild.samples.npz import load_npz_inputs
from webbuild.samples.random_inputs import random_feeds
from webbuild.samples.resolve_sizes import resolve_sizes
from webbuild.subgraph.graph import ModelGraph
from webbuild.targets.target import Build, Target
from webbuild.tasks.options.picture_sizes import PictureSize
from webbuild.tasks.options.symbolic_dims import parse_dims
from webbuild.verify.bundle import Bundle
from webbuild.verify.bundle_reader import open_bundle
from webbuild.verify.merged_weights import materialize_graph
from webbuild.verify.stage_reference import inputs_of_stage

_MAX_WEIGHT_BYTES = 1 << 30
"""Maximum bytes of weights of a model: a session takes it as one file."""


class BisectInput(Struct, frozen=True):
    """One input with its display name."""

    title: str
    feeds: dict[str, Array]


class ModelUnderTest(Struct, frozen=True):
    """A graph, its inputs, the engine build of the backend, and the session options.

    `features` are the required adapter features: without them every session throws.
    """

    name: str
    sha256: str
    graph: ModelGraph
    inputs: tuple[BisectInput, ...]
    build: OrtWebBuild
    options: SessionOptions
    assumptions: tuple[str, ...] = ()
    features: tuple[str, ...] = ()


class ModelSelection(Struct, frozen=True):
    """The command-line options that select the model under test."""

    path: Path
    backend: str = "webgpu"
    outputs: tuple[str, ...] = ()
    inputs: tuple[Path, ...] = ()
    dims: tuple[str, ...] = ()
    precision: str = "fp32"
    stage: str = ""
    size: PictureSize | None = None

    @property
    def build(self) -> Build:
        """The engine build."""
        return "wasm" if self.backend == "wasm" else "webgpu"


def open_model_under_test(selection: ModelSelection) -> ModelUnderTest:
    """Open a bundle if the path is a folder, else a model.

    Raises:
        WebbuildError: what `open_bundle`, `load_onnx` and `resolve_sizes` raise; `no-graph`, `too-large-to-bisect`,
            `unknown-output`, `invalid-input`, `unused-dimension`, `unknown-stage`, `invalid-size`.
    """
    if selection.path.is_dir():
        return _bundle(selection, open_bundle(selection.path))
    return _model(selection)


def _bundle(selection: ModelSelection, bundle: Bundle) -> ModelUnderTest:
    bundle, inputs = inputs_of_stage(bundle, selection.stage, selection.inputs, selection.size)
    name = selection.backend if selection.precision == "fp32" else f"{selection.backend} {selection.precision}"
    stored_graph = bundle.graph(name)
    if stored_graph is None:
        raise WebbuildError(
            "no-graph",
            f"{selection.path}: the bundle has no graph for {name}",
            "choose a graph of the bundle with --backend and --precision, or give the .onnx file instead of the bundle",
            exit_code=USAGE,
        )
    if selection.dims:
        raise WebbuildError(
            "unused-dimension",
            f"{selection.path}: --dim has no effect on a bundle: its sizes are fixed",
            "leave --dim out, or give the .onnx file",
            exit_code=USAGE,
        )
    with materialize_graph(bundle, stored_graph) as path:
        source = load_onnx(path)
        graph = _graph(source.model.clone(), path, selection.outputs)
    cases = tuple(
        BisectInput(given.title, {name: given.feeds[name] for name in graph.inputs if name in given.feeds})
        for given in inputs
    )
    forced = set(stored_graph.cpu_nodes)
    nodes = tuple(index for index, node in enumerate(graph.nodes) if node.name in forced)
    build = _bundled_build(bundle, selection)
    options, needed = SessionOptions(cpu_nodes=nodes), tuple(stored_graph.features)
    size = "" if selection.size is None else selection.size.name
    title = " ".join(filter(None, (bundle.manifest.name, bundle.stage, size)))
    return ModelUnderTest(title, source.sha256, graph, cases, build, options, features=needed)


def _model(selection: ModelSelection) -> ModelUnderTest:
    _refuse_options_of_bundles(selection)
    source = load_onnx(selection.path)
    settled = resolve_sizes(
        source,
        parse_dims(selection.dims),
        selection.size,
        lambda model: NativeRunner(model.path, model.graph_bytes, model.set_inputs),
        samples=selection.inputs,
    )
    source, sizes = settled.source, settled.sizes
    model = with_fixed_sizes(source.model, sizes.dims)
    needed = () if selection.backend == "wasm" else tuple(required_features(model))
    inputs = read_signature(selection.path.name, model).inputs
    graph, ranges = _graph(model, selection.path, selection.outputs), input_ranges(model)
    read = [fact for fact in inputs if fact.name in graph.inputs]
    wanted = {fact.name: (fact.dtype, fact.shape) for fact in read}
    fix = "save every input under its name, with its type and shape"
    cases = [BisectInput(file.name, load_npz_inputs(file, wanted, fix)) for file in selection.inputs]
    if not cases:
        cases = [BisectInput("random numbers", random_feeds(selection.path.name, read, ranges))]
    build = get_build(Target(packaged_assets.engine_version(), selection.build), cache_folder())
    assumptions = (*source.repairs, *sizes.assumptions)
    return ModelUnderTest(
        selection.path.stem, source.sha256, graph, tuple(cases), build, SessionOptions(), assumptions, needed
    )


def _refuse_options_of_bundles(selection: ModelSelection) -> None:
    """Raise for a stage or a precision of a model: it has one graph."""
    for option, given, code in (
        ("--stage", selection.stage, "unknown-stage"),
        ("--precision", selection.precision != "fp32", "no-graph"),
    ):
        if given:
            raise WebbuildError(
                code,
                f"{selection.path}: {option} chooses a graph of a bundle, and this is a model of one graph",
                f"leave {option} out, or give the folder that `webbuild pack` wrote",
                exit_code=USAGE,
            )


def _graph(model: ir.Model, path: Path, outputs: Sequence[str]) -> ModelGraph:
    """Return a model's graph with inferred shapes and embedded weights; the model is changed."""
    infer_shapes(model)
    weights = sum(value.const_value.nbytes for value in model.graph.initializers.values() if value.const_value)
    if weights > _MAX_WEIGHT_BYTES:
        raise WebbuildError(
            "too-large-to-bisect",
            f"{path.name}: {weights >> 20} MiB of weights; a page takes at most {_MAX_WEIGHT_BYTES >> 20} MiB",
            "cut the model in two, with onnx.utils.extract_model, and search each part",
            exit_code=USAGE,
        )
    ir.external_data.load_to_model(model)
    return ModelGraph(ir.to_proto(model), outputs)


def _bundled_build(bundle: Bundle, selection: ModelSelection) -> OrtWebBuild:
    """Return the build that the bundle's own runtime uses in Chromium."""
    names = ("wasm", "jspi") if selection.backend == "wasm" else ("jspi", "asyncify")
    engine_builds = {build.build: build for build in bundle.manifest.engines}
    chosen_build = next((engine_builds[name] for name in names if name in engine_builds), None)
    if chosen_build is None:
        raise WebbuildError(
            "no-engine",
            f"{selection.path}: the bundle has no build of the engine for {selection.backend}",
            "pack the model again",
        )
    target = Target(bundle.manifest.engine.version, selection.build)
    return OrtWebBuild(
        target, *(bundle.directory / path for path in (chosen_build.entry, chosen_build.glue, chosen_build.wasm))
    )
