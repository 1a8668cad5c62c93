"""An export, rewritten and written out: what `pack` does up to the proof."""

from __future__ import annotations

from pathlib import Path

import msgspec
import numpy as np
from msgspec import Struct

from tests.exports import write
from webbuild.bundle.graphs import option_inputs, write_graphs
from webbuild.manifest import Graph, ImageInput, OptionInput, RowTask
from webbuild.model import Source, load
from webbuild.passes._base import Options
from webbuild.plan import Plan, plan
from webbuild.prove import Witness, prove
from webbuild.recognise import recognise, without_head
from webbuild.samples import Sample, edge_cases
from webbuild.targets.table import table
from webbuild.targets.target import Target
from webbuild.tasks._base import Guess
from webbuild.trial import opened_thresholds
from webbuild.verify.native import NativeRunner

ROWS = 20
"""As many as those exports give that suppress by themselves."""
SIZES = {"height": 64, "width": 64, "batch": 1}


class Rewritten(Struct, frozen=True):
    """An export and its graphs in `folder`."""

    source: Source
    known: Guess
    planned: Plan
    graphs: tuple[Graph, ...]
    folder: Path

    @property
    def options(self) -> list[OptionInput]:
        """The thresholds."""
        return option_inputs(self.planned.models["wasm"])

    @property
    def samples(self) -> list[Sample]:
        """Blocks of colour, and what `pack` adds: noise and grey."""
        (image,) = (spec for spec in self.known.inputs if isinstance(spec, ImageInput))
        noise, grey = edge_cases([image])
        coarse = np.random.default_rng(1).random((1, 3, 8, 8), np.float32).repeat(8, 2).repeat(8, 3)
        return [Sample("(blocks)", {image.name: coarse}, placement=noise.placement), noise, grey]

    def prove_at(self, confidence: float, iou: float) -> Witness:
        """Compare every graph with the export, at thresholds of the score and of the overlap."""
        options = [msgspec.structs.replace(o, default=iou) if o.option == "iou" else o for o in self.options]
        lacks = self.known.raw is not None
        original = NativeRunner(self.source.path) if lacks else opened_thresholds(self.source, SIZES)
        assert original is not None, "the thresholds of the export could not be made inputs"
        graphs, task = self.graphs, self.known.task
        return prove(
            original, graphs, self.folder, task, options, self.samples, raw=self.known.raw, confidence=confidence
        )


def rewritten(name: str, folder: Path) -> Rewritten:
    """Rewrite an export of `tests.exports`."""
    source = load(write(name, folder))
    headless = without_head(source, SIZES, None)
    if headless is not None and headless.raw is not None and isinstance(headless.task, RowTask):
        limit = msgspec.structs.replace(headless.raw, max_detections=ROWS)
        headless = msgspec.structs.replace(headless, raw=limit, task=msgspec.structs.replace(headless.task, rows=ROWS))
    known_kernels = table(Target("1.30.0", "webgpu"))
    planned = plan(source.model, Options(dims=SIZES, raw=headless.raw if headless else None, table=known_kernels))
    graphs = write_graphs(planned.models, folder / "model")
    return Rewritten(source, headless or recognise(source, planned, None), planned, tuple(graphs), folder)
