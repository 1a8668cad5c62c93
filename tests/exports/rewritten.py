"""An export after all rewrites, written to a folder: what `pack` does before the proof."""

from __future__ import annotations

from pathlib import Path

import msgspec
import numpy as np
from msgspec import Struct

from tests.exports import write
from webbuild.bundle.graphs import option_inputs, write_graphs
from webbuild.compile.infer_task import infer_missing_postprocess, infer_task
from webbuild.equivalence.check import ComparedModel, EquivalenceResult, check_equivalence
from webbuild.equivalence.open_reference import open_with_threshold_inputs
from webbuild.manifest.manifest import Graph, ImageInput, OptionInput, RowTask
from webbuild.model.load import OnnxModel, load_onnx
from webbuild.passes.base import PassOptions
from webbuild.passes.lower import LoweredGraphs, lower
from webbuild.runners.native import NativeRunner
from webbuild.samples.edge_cases import edge_cases
from webbuild.samples.sample import Sample
from webbuild.targets.table import load_table
from webbuild.targets.target import Target
from webbuild.tasks.task_match import TaskMatch

ROWS = 20
"""The number of rows in exports that include NMS."""
SIZES = {"height": 64, "width": 64, "batch": 1}


class Rewritten(Struct, frozen=True):
    """An export and its rewritten graphs in `folder`."""

    source: OnnxModel
    known: TaskMatch
    planned: LoweredGraphs
    graphs: tuple[Graph, ...]
    folder: Path

    @property
    def options(self) -> list[OptionInput]:
        """The thresholds."""
        return option_inputs(self.planned.graphs["wasm"])

    @property
    def samples(self) -> list[Sample]:
        """Return blocks of colour, and the noise and grey samples that `pack` adds."""
        (image,) = (spec for spec in self.known.inputs if isinstance(spec, ImageInput))
        noise, grey = edge_cases([image])
        coarse = np.random.default_rng(1).random((1, 3, 8, 8), np.float32).repeat(8, 2).repeat(8, 3)
        return [Sample("(blocks)", {image.name: coarse}, placement=noise.placement), noise, grey]

    def open_original(self) -> NativeRunner:
        """Open the export with its thresholds as inputs, or unchanged if it lacks its post-processing."""
        lacks = self.known.postprocess is not None
        original = NativeRunner(self.source.path) if lacks else open_with_threshold_inputs(self.source, SIZES)
        assert original is not None, "the thresholds of the export could not be made inputs"
        return original

    def prove_at(self, original: NativeRunner, confidence: float, iou: float) -> EquivalenceResult:
        """Compare every graph with the export, at these score and IoU thresholds."""
        options = [msgspec.structs.replace(o, default=iou) if o.option == "iou" else o for o in self.options]
        model = ComparedModel(original, self.known.task, options, self.known.postprocess)
        return check_equivalence(model, self.graphs, self.folder, self.samples, confidence=confidence)


def rewritten(name: str, folder: Path) -> Rewritten:
    """Rewrite an export of `tests.exports`."""
    source = load_onnx(write(name, folder))
    unprocessed = infer_missing_postprocess(source, SIZES, None)
    if unprocessed is not None and unprocessed.postprocess is not None and isinstance(unprocessed.task, RowTask):
        limit = msgspec.structs.replace(unprocessed.postprocess, max_detections=ROWS)
        unprocessed = msgspec.structs.replace(
            unprocessed, postprocess=limit, task=msgspec.structs.replace(unprocessed.task, rows=ROWS)
        )
    known_kernels = load_table(Target("1.30.0", "webgpu"))
    planned = lower(
        source.model,
        PassOptions(
            dims=SIZES, missing_postprocess=unprocessed.postprocess if unprocessed else None, table=known_kernels
        ),
    )
    graphs = write_graphs(planned.graphs, folder / "model")
    return Rewritten(source, unprocessed or infer_task(source, planned, None), planned, tuple(graphs), folder)
