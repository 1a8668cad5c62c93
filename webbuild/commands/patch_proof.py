"""The proof of `webbuild patch`: the files of a target against the original model."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from webbuild.bundle.export_onnx import OnnxFile
from webbuild.bundle.graphs import graph_entry
from webbuild.commands.options.patch import PatchArguments
from webbuild.commands.patch_files import needed_graphs
from webbuild.compare.by_output import group_by_output
from webbuild.compile.compared_model import compared_model
from webbuild.compile.compile_model import CompiledModel
from webbuild.compile.load_model import LoadedModel
from webbuild.equivalence.check import run_original
from webbuild.equivalence.detection_thresholds import check_with_detections
from webbuild.equivalence.nan_inputs import replace_nan_inputs
from webbuild.equivalence.open_reference import open_with_threshold_inputs
from webbuild.equivalence.sequences import check_states
from webbuild.manifest.states import state_inputs
from webbuild.model.states import guessed_states
from webbuild.reporting.quantities import format_count
from webbuild.samples.collect import collect_samples
from webbuild.samples.edge_cases import edge_cases
from webbuild.samples.sequences import make_sequence
from webbuild.targets.target import Target

if TYPE_CHECKING:
    from webbuild.reporting.progress import ProgressReporter


def compare_target_files(
    model: Path,
    arguments: PatchArguments,
    loaded: LoadedModel,
    target: Target,
    ready: CompiledModel,
    files: tuple[OnnxFile, ...],
    folder: Path,
    progress: ProgressReporter,
) -> int:
    """Compare the files of a target with the original. Returns the number of compared outputs."""
    graphs = [
        graph_entry(ready.lowered.graphs[kind], kind, file.file, [file.data] if file.data else [])
        for file, (_, kind) in zip(files, needed_graphs(target, ready), strict=True)
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
            compared_model(loaded.original, ready),
            graphs,
            folder,
            samples,
            [*edges, *sequence],
            open_with_thresholds=partial(open_with_threshold_inputs, loaded.source, loaded.dims.dims),
        )
    return len(group_by_output(equivalence.comparisons))
