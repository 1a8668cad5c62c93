"""`webbuild patch`: one model, patched for each target and proven, as plain files."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from webbuild.bundle.export_onnx import (
    OnnxFile,
    atomic_files,
    content_hash,
    has_external_weights,
    refuse_existing,
    write_model,
)
from webbuild.bundle.graphs import graph_entry, head_status
from webbuild.bundle.signature_diff import describe_signature_changes
from webbuild.commands.options.patch import PatchArguments
from webbuild.compare.by_output import group_by_output
from webbuild.compile.compile_model import CompiledModel, compile_model
from webbuild.compile.float16_export import compile_accurately
from webbuild.compile.load_model import LoadedModel, load_model
from webbuild.equivalence.check import run_original
from webbuild.equivalence.detection_thresholds import check_with_detections
from webbuild.equivalence.nan_inputs import replace_nan_inputs
from webbuild.equivalence.sequences import check_states
from webbuild.errors import CLEAN, WebbuildError
from webbuild.manifest.manifest import DisabledTarget, TargetName
from webbuild.manifest.states import state_inputs
from webbuild.model.given_states import parse_states
from webbuild.model.set_inputs import parse_set
from webbuild.model.states import guessed_states
from webbuild.ortweb.packaged_assets import engine_version
from webbuild.passes.base import Rewrite
from webbuild.passes.workarounds.cpu_fallback import cpu_node_names
from webbuild.reporting.quantities import format_count
from webbuild.samples.collect import collect_samples
from webbuild.samples.edge_cases import edge_cases
from webbuild.samples.sequences import make_sequence
from webbuild.targets.target import Target, parse_target
from webbuild.tasks.picture_sizes import parse_size
from webbuild.tasks.symbolic_dims import parse_dims
from webbuild.tasks.user_overrides import parse_overrides

if TYPE_CHECKING:
    from webbuild.reporting.progress import ProgressReporter


class PatchError(Struct, frozen=True):
    """The error that stopped a model."""

    code: str
    message: str
    fix: str


class PatchResult(Struct, frozen=True):
    """What became of a model.

    `interface` says how inputs and outputs differ from the original's. `disabled_targets` are the targets that would
    fail at their graph: they get that for WASM. `compared` counts outputs of a graph on a sample, all of them the same;
    `repairs` say what they were compared with where that is not the original as it is, since nothing native runs it.
    """

    model: str
    exit_code: int
    rewrites: dict[str, tuple[Rewrite, ...]] = {}
    files: tuple[OnnxFile, ...] = ()
    interface: tuple[str, ...] = ()
    disabled_targets: dict[str, DisabledTarget] = {}
    compared: int = 0
    repairs: tuple[str, ...] = ()
    error: PatchError | None = None


def patch_model(model: Path, arguments: PatchArguments, progress: ProgressReporter) -> PatchResult:
    """Patch one of the models, prove it, and write it.

    Raises:
        WebbuildError: whatever stops it; nothing is written then.
    """
    names = dict.fromkeys(arguments.targets) or (Target(engine_version(), "webgpu").name,)
    targets = [parse_target(name) for name in names]
    dims, wanted = parse_dims(arguments.dims), parse_overrides({})
    if not arguments.dry_run and not arguments.force:
        refuse_existing([_output_path(model, arguments, target) for target in targets])
    opened = load_model(
        model,
        dims,
        progress,
        parse_set(arguments.values),
        parse_size(arguments.size),
        arguments.samples,
        parse_states(arguments.states),
    )
    exported, ready = opened.source, dict[Target, CompiledModel]()
    for target in targets:

        def compile_one(loaded: LoadedModel, target: Target = target) -> CompiledModel:
            return compile_model(
                loaded,
                target,
                task=None,
                nms=arguments.nms,
                wanted=wanted,
                progress=progress,
                int32_inputs=arguments.int32_inputs,
            )

        opened, ready[target] = compile_accurately(opened, compile_one, arguments.samples)
    rewrites = {target.name: each.lowered.rewrites[_graph_name(target, each)] for target, each in ready.items()}
    graphs = {target: each.lowered.graphs[_graph_name(target, each)] for target, each in ready.items()}
    disabled_targets = {
        target.name: each.disabled_target for target, each in ready.items() if each.disabled_target is not None
    }
    interface = tuple(
        dict.fromkeys(line for graph in graphs.values() for line in describe_signature_changes(exported, graph))
    )
    repairs = (*opened.repairs, *opened.source.warnings)
    if arguments.dry_run:
        return PatchResult(str(model), CLEAN, rewrites, (), interface, disabled_targets, repairs=repairs)
    if not arguments.allow_cpu_nodes:
        for target, graph in graphs.items():
            if target.build == "webgpu" and target.name not in disabled_targets:
                _refuse_cpu_nodes(model, cpu_node_names(graph))
    with atomic_files(arguments.out, model.stem, force=arguments.force) as folder:
        with progress.step("write the graphs"):
            files = _write_all(opened, ready, folder, model.stem)
        distinct = {tuple(_target_files(files, target, each)): target for target, each in reversed(ready.items())}
        compared = sum(
            _check_equivalence(model, arguments, opened, target, ready[target], mine, folder, progress)
            for mine, target in distinct.items()
        )
    placed = tuple(_at_final_path(file, arguments.out) for file in files)
    return PatchResult(str(model), CLEAN, rewrites, placed, interface, disabled_targets, compared, repairs)


def _refuse_cpu_nodes(model: Path, named: Sequence[str]) -> None:
    """Refuse a graph that a loader gets wrong unless it is told more than the graph says."""
    if named:
        shown = ", ".join(named[:5]) + (f" and {len(named) - 5} more" if len(named) > 5 else "")
        raise WebbuildError(
            "cpu-nodes-needed",
            f"{model.name}: WebGPU computes these nodes wrongly, and no pass replaces them: {shown}",
            "give --allow-cpu-nodes and the session option that it prints; the loader of webbuild pack gives it",
        )


def _write_all(loaded: LoadedModel, ready: dict[Target, CompiledModel], folder: Path, stem: str) -> list[OnnxFile]:
    """Write the graphs of every target, equal ones once."""
    external = has_external_weights(loaded.source.model)
    files: dict[bytes, OnnxFile] = {}
    for target, each in ready.items():
        for name, kind in _needed_graphs(target, each):
            model = each.lowered.graphs[kind]
            key = content_hash(model)
            if (known := files.get(key)) is None:
                files[key] = write_model(model, folder, stem, name, external=external)
            elif name not in known.targets:
                files[key] = msgspec.structs.replace(known, targets=(*known.targets, name))
    return list(files.values())


def _target_files(files: list[OnnxFile], target: Target, ready: CompiledModel) -> list[OnnxFile]:
    """Return the files that a target needs, its own first."""
    return [next(file for file in files if name in file.targets) for name, _ in _needed_graphs(target, ready)]


def _needed_graphs(target: Target, ready: CompiledModel) -> list[tuple[str, TargetName]]:
    """Return the graphs of a target: its own, and the one that it may ask for where its head cannot be exact."""
    kind, wasm = _graph_name(target, ready), Target(target.version, "wasm").name
    own: list[tuple[str, TargetName]] = [(target.name if ready.disabled_target is None else wasm, kind)]
    status = head_status(ready.lowered.graphs[kind])
    return own if status is None else [*own, (wasm, "wasm")]


def _graph_name(target: Target, ready: CompiledModel) -> TargetName:
    """Return which of the planned graphs a target gets."""
    return "wasm" if ready.disabled_target is not None else target.build


def _check_equivalence(
    model: Path,
    arguments: PatchArguments,
    loaded: LoadedModel,
    target: Target,
    ready: CompiledModel,
    files: tuple[OnnxFile, ...],
    folder: Path,
    progress: ProgressReporter,
) -> int:
    """Compare the files of a target with the original. Returns how many outputs were compared."""
    graphs = [
        graph_entry(ready.lowered.graphs[kind], kind, file.file, [file.data] if file.data else [])
        for file, (_, kind) in zip(files, _needed_graphs(target, ready), strict=True)
    ]
    inputs = ready.match.inputs
    collected = collect_samples(model, arguments.samples, inputs, loaded.ranges)
    samples, notes = replace_nan_inputs(loaded.original, collected, ready.postprocess, seek_signal=True)
    edges, more = replace_nan_inputs(loaded.original, edge_cases(inputs, loaded.ranges), ready.postprocess)
    sequence = make_sequence(samples, inputs, loaded.ranges)
    run, guessed = partial(run_original, loaded.original), guessed_states(loaded.source.states)
    unproven = check_states(run, state_inputs(inputs), sequence, guessed)
    progress.print_lines([*notes, *more, *(f"warning: {each}" for each in unproven)])
    with progress.step(f"prove {target.name} on {format_count(len(samples), 'sample')}"):
        equivalence = check_with_detections(
            loaded.original,
            loaded.source,
            graphs,
            folder,
            ready.match.task,
            ready.options,
            samples,
            [*edges, *sequence],
            ready.postprocess,
            loaded.dims.dims,
            states=state_inputs(inputs),
        )
    return len(group_by_output(equivalence.comparisons))


def _at_final_path(file: OnnxFile, out: Path) -> OnnxFile:
    data = str(out / file.data) if file.data else ""
    return msgspec.structs.replace(file, file=str(out / file.file), data=data)


def _output_path(model: Path, arguments: PatchArguments, target: Target) -> Path:
    return arguments.out / f"{model.stem}.{target.name}.onnx"


def failed_result(model: Path, error: WebbuildError) -> PatchResult:
    """Return the outcome of a model that an error stopped."""
    return PatchResult(str(model), error.exit_code, error=PatchError(error.code, error.message, error.fix))
