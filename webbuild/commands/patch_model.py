"""`webbuild patch`: one model, patched for each target and proven, as plain files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from webbuild.bundle.export_onnx import atomic_files, refuse_existing
from webbuild.bundle.signature_diff import describe_signature_changes
from webbuild.bundle.staging import check_writable
from webbuild.commands.options.patch import PatchArguments
from webbuild.commands.patch_files import at_final_path, graph_name, output_path, target_files, write_graphs
from webbuild.commands.patch_proof import compare_target_files
from webbuild.commands.patch_result import PatchResult
from webbuild.compile.compile_model import CompiledModel, compile_model
from webbuild.compile.float16_export import compile_accurately
from webbuild.compile.load_model import LoadedModel, load_model
from webbuild.errors import CLEAN, WebbuildError
from webbuild.model.set_inputs import parse_set
from webbuild.model.state_option import parse_states
from webbuild.ortweb.packaged_assets import engine_version
from webbuild.passes.workarounds.cpu_fallback import cpu_node_names
from webbuild.targets.target import Target, parse_target
from webbuild.tasks.options.picture_sizes import parse_size
from webbuild.tasks.options.symbolic_dims import parse_dims
from webbuild.tasks.options.user_overrides import parse_overrides

if TYPE_CHECKING:
    from webbuild.reporting.progress import ProgressReporter


def patch_model(model: Path, arguments: PatchArguments, progress: ProgressReporter) -> PatchResult:
    """Patch one of the models, prove it, and write it.

    Raises:
        WebbuildError: any error; nothing is written then.
    """
    names = dict.fromkeys(arguments.targets) or (Target(engine_version(), "webgpu").name,)
    targets = [parse_target(name) for name in names]
    outputs = [output_path(model, arguments, target) for target in targets if not arguments.dry_run]
    for output in outputs:
        check_writable(output)
    if not arguments.force:
        refuse_existing(outputs)
    loaded = load_model(
        model,
        parse_dims(arguments.dims),
        progress,
        values=parse_set(arguments.values),
        size=parse_size(arguments.size),
        samples=arguments.samples,
        states=parse_states(arguments.states),
    )
    exported = loaded.source
    loaded, compiled = _compile_each(loaded, targets, arguments, progress)
    graphs = {target: each.lowered.graphs[graph_name(target, each)] for target, each in compiled.items()}
    changes = (line for graph in graphs.values() for line in describe_signature_changes(exported, graph))
    result = PatchResult(
        str(model),
        CLEAN,
        {target.name: each.lowered.rewrites[graph_name(target, each)] for target, each in compiled.items()},
        (),
        tuple(dict.fromkeys(changes)),
        {target.name: each.disabled_target for target, each in compiled.items() if each.disabled_target is not None},
        repairs=(*loaded.repairs, *loaded.source.warnings),
    )
    if arguments.dry_run:
        return result
    if not arguments.allow_cpu_nodes:
        for target, graph in graphs.items():
            if target.build == "webgpu" and target.name not in result.disabled_targets:
                _refuse_cpu_nodes(model, cpu_node_names(graph))
    with atomic_files(arguments.out, model.stem, force=arguments.force) as folder:
        with progress.step("write the graphs"):
            files = write_graphs(loaded, compiled, folder, model.stem)
        distinct = {tuple(target_files(files, target, each)): target for target, each in reversed(compiled.items())}
        compared = sum(
            compare_target_files(model, arguments, loaded, target, compiled[target], target_graphs, folder, progress)
            for target_graphs, target in distinct.items()
        )
    final_files = tuple(at_final_path(file, arguments.out) for file in files)
    return msgspec.structs.replace(result, files=final_files, compared=compared)


def _compile_each(
    loaded: LoadedModel, targets: Sequence[Target], arguments: PatchArguments, progress: ProgressReporter
) -> tuple[LoadedModel, dict[Target, CompiledModel]]:
    """Compile the model for each target. Returns the model too, which the first target may have made more accurate."""
    overrides, compiled = parse_overrides({}), dict[Target, CompiledModel]()
    for target in targets:

        def compile_one(loaded: LoadedModel, target: Target = target) -> CompiledModel:
            return compile_model(
                loaded,
                target,
                task=None,
                nms=arguments.nms,
                overrides=overrides,
                progress=progress,
                int32_inputs=arguments.int32_inputs,
            )

        loaded, compiled[target] = compile_accurately(loaded, compile_one, arguments.samples)
    return loaded, compiled


def _refuse_cpu_nodes(model: Path, named: Sequence[str]) -> None:
    """Raise for a graph that is only correct with a session option that places nodes on the CPU."""
    if named:
        shown = ", ".join(named[:5]) + (f" and {len(named) - 5} more" if len(named) > 5 else "")
        raise WebbuildError(
            "cpu-nodes-needed",
            f"{model.name}: WebGPU computes these nodes wrongly, and no pass replaces them: {shown}",
            "give --allow-cpu-nodes and the session option that it prints; the loader of webbuild pack gives it",
        )
