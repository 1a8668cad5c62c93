"""The files of a stage, and its fields in the manifest."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from webbuild.bundle.golden import TOLERANCE, Arrays, GoldenRun
from webbuild.bundle.golden_sequence import STEPS
from webbuild.bundle.licenses import model_license
from webbuild.errors import printable
from webbuild.manifest import manifest as contract
from webbuild.manifest.manifest import (
    DisabledTarget,
    Glue,
    Golden,
    GoldenSequence,
    Graph,
    Input,
    Output,
    StageOutput,
    Task,
    Variant,
)
from webbuild.manifest.states import state_inputs
from webbuild.model.load import OnnxModel


class StageGlue(Struct, frozen=True):
    """A JavaScript module that makes inputs of a stage. `reads` are pairs (stage, output)."""

    file: Path
    reads: tuple[tuple[str, str], ...]

    @property
    def assumptions(self) -> tuple[str, str]:
        """The sentences that the module reads these outputs, and that the native proof does not run it."""
        read = ", ".join(f"{stage}.{output}" for stage, output in self.reads) or "the results of earlier stages"
        name = self.file.name
        unproven = "did not run in this proof, which fed synthetic tensors in place of its outputs"
        return f"{name} reads {read}", f"{name} {unproven}; the comparison in a browser runs it"


class StageContents(Struct, frozen=True):
    """The contents of a stage whose graphs are already in the folder. A single stage has no name.

    `disabled_targets` are the targets without a graph, and why. `golden` is a sample with known outputs.
    `evaluation_thresholds` are the thresholds at which the samples have results to compare. `variants` are the same
    model for other sizes.
    """

    name: str
    source: OnnxModel
    task: Task
    inputs: tuple[Input, ...]
    graphs: tuple[Graph, ...]
    disabled_targets: tuple[DisabledTarget, ...]
    golden: GoldenRun | None
    evaluation_thresholds: Mapping[str, float]
    variants: tuple[Variant, ...] = ()
    glue: StageGlue | None = None


def write_glue(stage: StageContents, folder: Path) -> Glue | msgspec.UnsetType:
    """Write the JavaScript module of a stage, and return its entry in the manifest."""
    if stage.glue is None:
        return msgspec.UNSET
    file = f"glue/{stage.name}.js"
    (folder / "glue").mkdir(exist_ok=True)
    shutil.copyfile(stage.glue.file, folder / file)
    return Glue(file=file, reads=[StageOutput(stage=name, output=output) for name, output in stage.glue.reads])


def stage_fields(stage: StageContents, folder: Path) -> dict[str, Any]:
    """Return the manifest fields of a stage, and write its golden run."""
    outputs = public_outputs(stage.graphs, stage.inputs)
    recorded = stage.golden
    is_kept = recorded is not None and all(is_golden_readable(each, recorded.outputs) for each in outputs)
    return {
        "source": contract.Source(
            file=stage.source.signature.file,
            sha256=stage.source.sha256,
            size=stage.source.size,
            producer=printable(stage.source.signature.producer, 200),
            license=model_license(stage.source.signature),
        ),
        "task": stage.task,
        "inputs": list(stage.inputs),
        "outputs": outputs,
        "graphs": list(stage.graphs),
        "disabled_targets": list(stage.disabled_targets),
        "golden": _write_golden(recorded, stage.inputs, folder, stage.name) if recorded and is_kept else None,
        "evaluation_thresholds": dict(stage.evaluation_thresholds),
        "variants": list(stage.variants) or msgspec.UNSET,
    }


def _write_golden(recorded: GoldenRun, inputs: Sequence[Input], folder: Path, stage: str) -> Golden:
    """Write a run at the start of a sequence, without states: their inputs are zeros, their outputs not results.

    The outputs of the golden sequence test the states.
    """
    inside = f"golden/{stage}" if stage else "golden"
    states = {spec.name: spec.output for spec in state_inputs(inputs)}
    feeds = {name: array for name, array in recorded.sample.feeds.items() if name not in states}
    outputs = {name: array for name, array in recorded.outputs.items() if name not in states.values()}
    (folder / inside).mkdir(parents=True, exist_ok=True)
    kinds = {
        "input": {**feeds, **recorded.uint8_inputs},
        "output": outputs or recorded.outputs,
        "sequence": recorded.sequence,
    }
    written: dict[str, dict[str, str]] = {kind: {} for kind in kinds}
    for kind, arrays in kinds.items():
        for index, (name, array) in enumerate(arrays.items()):
            path = f"{inside}/{kind}-{index}.bin"
            (folder / path).write_bytes(array.astype(array.dtype.newbyteorder("<")).tobytes())
            written[kind][name] = path
    return Golden(
        sample=recorded.sample.name,
        inputs=written["input"],
        outputs=written["output"],
        uint8_inputs=list(recorded.uint8_inputs),
        sequence=GoldenSequence(steps=STEPS, outputs=written["sequence"]) if recorded.sequence else msgspec.UNSET,
        tolerance=recorded.tolerance if recorded.tolerance > TOLERANCE else msgspec.UNSET,
    )


def public_outputs(graphs: Sequence[Graph], inputs: Sequence[Input]) -> list[Output]:
    """Return the outputs that `run()` returns: without states and without `head_status`.

    If all outputs are states, they are returned too. If one graph knows a size, it holds for all graphs.
    """
    reports = {graph.head_status.output for graph in graphs if graph.head_status is not None}
    outputs = [_with_known_sizes(output, graphs) for output in graphs[-1].outputs if output.name not in reports]
    states = {spec.output for spec in state_inputs(inputs)}
    return [output for output in outputs if output.name not in states] or outputs


def _with_known_sizes(output: Output, graphs: Sequence[Graph]) -> Output:
    shapes = [each.shape for graph in graphs for each in graph.outputs if each.name == output.name]
    rank = max(map(len, shapes))
    # -1 is an unknown size, and an empty shape an unknown rank
    sizes = zip(*(shape for shape in shapes if len(shape) == rank), strict=True)
    return msgspec.structs.replace(output, shape=[max(each) for each in sizes])


def is_golden_readable(output: Output, recorded: Arrays) -> bool:
    """Whether the shape of a recorded output follows from its length: at most one size is free."""
    array = recorded.get(output.name)
    return array is None or (array.ndim == len(output.shape) and output.shape.count(-1) < 2)
