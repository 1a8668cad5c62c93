"""The thresholds at which a model is compared: the exported ones, or lower where those find nothing to compare."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from webbuild.completed import Head
from webbuild.errors import WebbuildError
from webbuild.manifest import Graph, OptionInput, RowTask, Task
from webbuild.model import Source
from webbuild.plan import settle
from webbuild.prove import Witness, differing, found_nothing, only_repeated, prove, require
from webbuild.samples import Sample
from webbuild.verify.native import NativeRunner

_WANTED = 10
"""Detections that the lowered threshold lets through on the sample that has the best ones."""


def open_original(source: Source) -> tuple[NativeRunner, tuple[str, ...]]:
    """Return what runs the original, and what was assumed to get there.

    Native ONNX Runtime lacks kernels that the model may want: GridSample of float64, Where between truth values. The
    reference is then the original with those written otherwise and nothing else changed, and that is said.

    Raises:
        WebbuildError: `native-refused` where that is not the reason.
    """
    import onnx_ir as ir

    from webbuild.passes._base import Options
    from webbuild.passes._shapes import infer
    from webbuild.passes.choice_of_masks import ChoiceOfMasks
    from webbuild.passes.float64_to_float32 import Float64ToFloat32

    try:
        return NativeRunner(source.path, source.graph), ()
    except WebbuildError:
        repaired = source.model.clone()
        infer(repaired)
        edits = [edit for each in (Float64ToFloat32(), ChoiceOfMasks()) for edit in each.apply(repaired, Options())]
        done = dict.fromkeys(edit.code for edit in edits if edit.done)
        if not done:
            raise
        runner = NativeRunner(source.path, ir.to_proto(repaired).SerializeToString())
    what = "native ONNX Runtime makes no session of the original, for want of a kernel"
    return runner, (f"{what}: everything is compared with what {' and '.join(done)} made of it",)


def prove_where_it_finds(
    original: NativeRunner,
    source: Source,
    graphs: Sequence[Graph],
    folder: Path,
    task: Task,
    options: Sequence[OptionInput],
    samples: Sequence[Sample],
    edges: Sequence[Sample],
    raw: Head | None = None,
    sizes: Mapping[str, int] | None = None,
) -> Witness:
    """Prove the graphs at the exported thresholds, and, where those prove nothing, again at another.

    That is a lower one where no sample has a detection, and a higher one where every sample has more candidates than
    a graph's head, which then hands all of them to its fallback. What differs at the exported thresholds is no proof
    at any other.

    Args:
        original: what runs it.
        source: the original.
        graphs: what became of it, in `folder`.
        folder: the bundle's.
        task: what it is for.
        options: the thresholds of the graphs.
        samples: what it is tried on, also at the other threshold.
        edges: more samples, at the exported thresholds only.
        raw: the post-processing that the original lacks.
        sizes: of the original's free dimensions.

    Raises:
        WebbuildError: `not-proven` or `proved-nothing`.
    """
    witness = prove(original, graphs, folder, task, options, [*samples, *edges], raw=raw)
    if not differing(witness.proofs) and (found_nothing(witness) or only_repeated(witness)):
        confidence = telling_confidence(graphs, folder, task, options, samples)
        opened = original if raw is not None else opened_thresholds(source, sizes or {})
        if opened is not None and confidence is not None:
            witness = prove(opened, graphs, folder, task, options, samples, raw=raw, confidence=confidence)
    require(witness.proofs)
    return witness


def telling_confidence(
    graphs: Sequence[Graph], folder: Path, task: Task, options: Sequence[OptionInput], samples: Sequence[Sample]
) -> float | None:
    """Return a confidence threshold at which some sample has a few detections; None if there is no such.

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


def opened_thresholds(source: Source, sizes: Mapping[str, int]) -> NativeRunner | None:
    """Return a runner of the original in which only the thresholds were made inputs; None if that cannot be.

    Everything else, the data-dependent detection tail too, is as it was exported; but where the sizes are free, they
    are fixed first and what hangs on nothing else is computed, since no tail can be told before.
    """
    import onnx_ir as ir

    from webbuild.passes._base import Options
    from webbuild.passes._shapes import infer
    from webbuild.passes.clean_up import CleanUp
    from webbuild.passes.fold_constants import FoldConstants
    from webbuild.passes.freeze_dimensions import FreezeDimensions
    from webbuild.passes.threshold_inputs import ThresholdInputs

    options = Options(dims=sizes)
    opened, fixed = source.model.clone(), source.model.clone()
    infer(opened)
    if not any(edit.done for edit in ThresholdInputs().apply(opened, options)):
        settle((CleanUp, FreezeDimensions, FoldConstants), fixed, options)
        if not any(edit.done for edit in ThresholdInputs().apply(fixed, options)):
            return None
        opened = fixed
    return NativeRunner(source.path, ir.to_proto(opened).SerializeToString())
