"""The thresholds at which a model is compared: the exported ones, or lower where those find nothing to compare."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from webbuild.errors import WebbuildError
from webbuild.manifest import Graph, OptionInput, RowTask, Task
from webbuild.model import Source
from webbuild.prove import Witness, found_nothing, prove, require
from webbuild.raw_head import RawHead
from webbuild.samples import Sample
from webbuild.verify.native import NativeRunner

_WANTED = 10
"""Detections that the lowered threshold lets through on the sample that has the best ones."""


def open_original(source: Source) -> tuple[NativeRunner, tuple[str, ...]]:
    """Return what runs the original, and what was assumed to get there.

    Native ONNX Runtime lacks float64 kernels that the model may want, of GridSample for example. The reference is then
    the original with float32 in the place of float64 and nothing else changed, and that is said.

    Raises:
        WebbuildError: `native-refused` where float64 is not the reason.
    """
    import onnx_ir as ir

    from webbuild.passes._base import Options
    from webbuild.passes.float64_to_float32 import Float64ToFloat32

    try:
        return NativeRunner(source.path), ()
    except WebbuildError:
        repaired = source.model.clone()
        if not any(edit.done for edit in Float64ToFloat32().apply(repaired, Options())):
            raise
        runner = NativeRunner(source.path, ir.to_proto(repaired).SerializeToString())
    what = "native ONNX Runtime makes no session of the original, for want of a float64 kernel"
    return runner, (f"{what}: everything is compared with the original in float32",)


def prove_where_it_finds(
    original: NativeRunner,
    source: Source,
    graphs: Sequence[Graph],
    folder: Path,
    task: Task,
    options: Sequence[OptionInput],
    samples: Sequence[Sample],
    edges: Sequence[Sample],
    raw: RawHead | None = None,
) -> Witness:
    """Prove the graphs at the exported thresholds, and, where no sample has a detection, again at a lower one.

    Args:
        original: what runs it.
        source: the original.
        graphs: what became of it, in `folder`.
        folder: the bundle's.
        task: what it is for.
        options: the thresholds of the graphs.
        samples: what it is tried on, also at the lower threshold.
        edges: more samples, at the exported thresholds only.
        raw: the post-processing that the original lacks.

    Raises:
        WebbuildError: `not-proven` or `proved-nothing`.
    """
    witness = prove(original, graphs, folder, task, options, [*samples, *edges], raw=raw)
    if found_nothing(witness):
        confidence = lowered_confidence(graphs, folder, task, options, samples)
        opened = original if raw is not None else _with_open_thresholds(source)
        if opened is not None and confidence is not None:
            witness = prove(opened, graphs, folder, task, options, samples, raw=raw, confidence=confidence)
    require(witness.proofs)
    return witness


def lowered_confidence(
    graphs: Sequence[Graph], folder: Path, task: Task, options: Sequence[OptionInput], samples: Sequence[Sample]
) -> float | None:
    """Return a confidence threshold at which some sample has detections; None if there is no such.

    It lies midway between two scores, so that rounding decides about none.
    """
    if not isinstance(task, RowTask) or not any(option.option == "confidence" for option in options):
        return None
    graph = next((graph for graph in graphs if graph.target == "wasm"), graphs[0])
    runner = NativeRunner(folder / graph.file)
    feeds = {o.name: np.array([0.0 if o.option == "confidence" else o.default], np.float32) for o in options}
    best = np.zeros(0)
    for sample in samples:
        scores = np.sort(runner.run({**sample.feeds, **feeds})[task.output][0, :, 4])[::-1]
        best = max(best, scores[: _WANTED + 1], key=lambda s: float(s[0]) if s.size else 0.0)
    distinct = best[best > 0]
    if distinct.size < 2:
        return None
    return float(np.float32((float(distinct[-2]) + float(distinct[-1])) / 2))


def _with_open_thresholds(source: Source) -> NativeRunner | None:
    """Return a runner of the original in which only the thresholds were made inputs; None if that cannot be.

    Everything else, the data-dependent detection tail too, is as it was exported.
    """
    import onnx_ir as ir

    from webbuild.passes._base import Options
    from webbuild.passes._shapes import infer
    from webbuild.passes.threshold_inputs import ThresholdInputs

    opened = source.model.clone()
    infer(opened)
    if not any(edit.done for edit in ThresholdInputs().apply(opened, Options())):
        return None
    return NativeRunner(source.path, ir.to_proto(opened).SerializeToString())
