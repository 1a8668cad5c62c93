"""The files of patched graphs; equal graphs share a file."""

from __future__ import annotations

from pathlib import Path

import msgspec

from webbuild.bundle.export_onnx import OnnxFile, content_hash, has_external_weights, write_model
from webbuild.bundle.graphs import head_status
from webbuild.commands.options.patch import PatchArguments
from webbuild.compile.compile_model import CompiledModel
from webbuild.compile.load_model import LoadedModel
from webbuild.manifest.manifest import TargetName
from webbuild.targets.target import Target


def write_graphs(loaded: LoadedModel, ready: dict[Target, CompiledModel], folder: Path, stem: str) -> list[OnnxFile]:
    """Write the graphs of every target; equal graphs are written once."""
    external = has_external_weights(loaded.source.model)
    files: dict[bytes, OnnxFile] = {}
    for target, compiled in ready.items():
        for name, kind in needed_graphs(target, compiled):
            model = compiled.lowered.graphs[kind]
            key = content_hash(model)
            if (known := files.get(key)) is None:
                files[key] = write_model(model, folder, stem, name, external=external)
            elif name not in known.targets:
                files[key] = msgspec.structs.replace(known, targets=(*known.targets, name))
    return list(files.values())


def target_files(files: list[OnnxFile], target: Target, ready: CompiledModel) -> list[OnnxFile]:
    """Return the files that a target needs, its own first."""
    return [next(file for file in files if name in file.targets) for name, _ in needed_graphs(target, ready)]


def needed_graphs(target: Target, ready: CompiledModel) -> list[tuple[str, TargetName]]:
    """Return the graphs of a target as (file name, kind): its own, and the fallback of its NMS if it has one."""
    kind, wasm = graph_name(target, ready), Target(target.version, "wasm").name
    own: list[tuple[str, TargetName]] = [(target.name if ready.disabled_target is None else wasm, kind)]
    status = head_status(ready.lowered.graphs[kind])
    return own if status is None else [*own, (wasm, "wasm")]


def graph_name(target: Target, ready: CompiledModel) -> TargetName:
    """Return the kind of graph of a target: `wasm` if its own is disabled."""
    return "wasm" if ready.disabled_target is not None else target.build


def at_final_path(file: OnnxFile, out: Path) -> OnnxFile:
    """Return a file and its weight file with their final paths."""
    data = str(out / file.data) if file.data else ""
    return msgspec.structs.replace(file, file=str(out / file.file), data=data)


def output_path(model: Path, arguments: PatchArguments, target: Target) -> Path:
    """Return where the graph of a target goes."""
    return arguments.out / f"{model.stem}.{target.name}.onnx"
