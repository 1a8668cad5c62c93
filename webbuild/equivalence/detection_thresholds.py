"""The thresholds at which a model is compared: the exported ones, or lower where those find nothing to compare."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from webbuild.equivalence.check import EquivalenceResult, check_equivalence
from webbuild.equivalence.verdict import has_no_detections, mismatches, require_equivalent, used_only_fallback
from webbuild.errors import WebbuildError
from webbuild.manifest.manifest import Graph, OptionInput, StateInput, Task
from webbuild.model.load import OnnxModel
from webbuild.passes.lower import run_to_fixpoint
from webbuild.postprocess.postprocess import Postprocess
from webbuild.runners.malloc_trim import collect_and_trim
from webbuild.runners.native import NativeRunner
from webbuild.runners.tensors import Tensors
from webbuild.samples.sample import Sample
from webbuild.tasks.registry import kind_of

if TYPE_CHECKING:
    import onnx_ir as ir

_TARGET_DETECTIONS = 10
"""Detections that the lowered threshold lets through on the sample that has the best ones."""


def open_reference(source: OnnxModel) -> tuple[NativeRunner, tuple[str, ...]]:
    """Return a runner of the original, and the assumptions made to open it.

    Native ONNX Runtime lacks kernels that the model may want: GridSample of float64, Where between truth values. The
    reference is then the original with those written otherwise and nothing else changed, and that is said. So it is
    where inputs and outputs are float16, since ONNX Runtime computes across the Casts that its graphs have there.

    Raises:
        WebbuildError: `reference-session-failed` where that is not the reason.
    """
    import onnx_ir as ir

    from webbuild.passes.analysis.shape_inference import infer_shapes
    from webbuild.passes.decompose.decompose_bool_where import DecomposeBoolWhere
    from webbuild.passes.dtypes.float64_to_float32 import Float64ToFloat32

    if cast := _with_float32_io(source.model):
        bordered, assumption = cast
        return NativeRunner(source.path, ir.to_proto(bordered).SerializeToString()), (assumption,)
    try:
        return NativeRunner(source.path, source.graph_bytes, source.set_inputs), ()
    except WebbuildError:
        repaired = source.model.clone()
        infer_shapes(repaired)
        rewrites = [
            rewrite
            for each in (Float64ToFloat32(), DecomposeBoolWhere())
            for rewrite in each.apply_to_each_graph(repaired)
        ]
        done = dict.fromkeys(rewrite.code for rewrite in rewrites if rewrite.applied)
        if not done:
            raise
        runner = NativeRunner(source.path, ir.to_proto(repaired).SerializeToString())
    what = "native ONNX Runtime has no kernel for a node of the original"
    return runner, (f"{what}. The reference is the original after {' and '.join(done)}",)


def _with_float32_io(model: ir.Model) -> tuple[ir.Model, str] | None:
    """Return a clone whose inputs and outputs are float32, and the sentence that says so; None if no one is float16."""
    import onnx_ir as ir

    from webbuild.passes.base import PassOptions
    from webbuild.passes.dtypes.float16_io import Float16Io

    if all(value.dtype != ir.DataType.FLOAT16 for value in (*model.graph.inputs, *model.graph.outputs)):
        return None
    clone = model.clone()
    done = Float16Io().apply(clone, PassOptions())
    places = ", ".join(rewrite.location for rewrite in done)
    return (clone, f"float32 in place of float16, with a Cast in the graph: {places}") if done else None


def check_with_detections(
    original: NativeRunner,
    source: OnnxModel,
    graphs: Sequence[Graph],
    folder: Path,
    task: Task,
    options: Sequence[OptionInput],
    samples: Sequence[Sample],
    edges: Sequence[Sample],
    postprocess: Postprocess | None = None,
    sizes: Mapping[str, int] | None = None,
    open_graph: Callable[[Path], NativeRunner] = NativeRunner,
    states: Sequence[StateInput] = (),
    exact: Collection[str] = (),
) -> EquivalenceResult:
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
        postprocess: the post-processing that the original lacks.
        sizes: of the original's free dimensions.
        open_graph: makes a runner of a graph's file.
        states: what goes from step to step of a sequence.
        exact: inputs that are not perturbed for the noise floor.

    Raises:
        WebbuildError: `output-mismatch` or `vacuous-comparison`.
    """
    collect_and_trim()  # what planning has let go of is room for a run
    equivalence = check_equivalence(
        original,
        graphs,
        folder,
        task,
        options,
        [*samples, *edges],
        postprocess=postprocess,
        open_graph=open_graph,
        states=states,
        exact=exact,
    )
    comparisons = equivalence.comparisons
    if not mismatches(comparisons) and (has_no_detections(comparisons) or used_only_fallback(comparisons)):
        confidence = find_evaluation_confidence(graphs, folder, task, options, samples, open_graph)
        opened = original if postprocess is not None else open_with_threshold_inputs(source, sizes or {})
        if opened is not None and confidence is not None:
            equivalence = check_equivalence(
                opened,
                graphs,
                folder,
                task,
                options,
                samples,
                postprocess=postprocess,
                confidence=confidence,
                open_graph=open_graph,
                exact=exact,
            )
    require_equivalent(equivalence.comparisons)
    return equivalence


def find_evaluation_confidence(
    graphs: Sequence[Graph],
    folder: Path,
    task: Task,
    options: Sequence[OptionInput],
    samples: Sequence[Sample],
    open_graph: Callable[[Path], NativeRunner] = NativeRunner,
) -> float | None:
    """Return a confidence threshold at which some sample has a few detections by a graph; None if there is no such."""
    graph = next((graph for graph in graphs if graph.target == "wasm"), graphs[0])
    runner = open_graph(folder / graph.file)
    return confidence_with_detections(task, options, samples, runner.run)


def confidence_with_detections(
    task: Task, options: Sequence[OptionInput], samples: Sequence[Sample], run: Callable[[Tensors], Tensors]
) -> float | None:
    """Return a confidence threshold at which some sample has a few detections; None if there is no such.

    It lies midway between two scores, so that rounding decides about none.
    """
    if not any(option.option == "confidence" for option in options):
        return None
    feeds = {o.name: np.array([0.0 if o.option == "confidence" else o.default], np.float32) for o in options}
    best = np.zeros(0)
    for sample in samples:
        scores = kind_of(task).candidate_scores(task, run({**sample.feeds, **feeds}))
        if scores is None:
            return None
        best = max(best, scores[: _TARGET_DETECTIONS + 1], key=lambda s: float(s[0]) if s.size else 0.0)
    distinct = best[best > 0]
    if distinct.size < 2:
        return None
    return float(np.float32((float(distinct[-2]) + float(distinct[-1])) / 2))


def open_with_threshold_inputs(source: OnnxModel, sizes: Mapping[str, int]) -> NativeRunner | None:
    """Return a runner of the original in which only the thresholds were made inputs; None if that cannot be.

    Everything else, the data-dependent detection tail too, is as it was exported; but where the sizes are free, they
    are fixed first and what hangs on nothing else is computed, since no tail can be found before.
    """
    import onnx_ir as ir

    from webbuild.passes.analysis.shape_inference import infer_shapes
    from webbuild.passes.base import PassOptions
    from webbuild.passes.nms.promote_thresholds import PromoteThresholds
    from webbuild.passes.simplify.canonicalize import Canonicalize
    from webbuild.passes.simplify.fold_constants import FoldConstants
    from webbuild.passes.static_shapes.fix_dynamic_dims import FixDynamicDims

    options = PassOptions(dims=sizes)
    cast = _with_float32_io(source.model)
    model = source.model if cast is None else cast[0]
    opened, fixed = model.clone(), model.clone()
    infer_shapes(opened)
    if not any(rewrite.applied for rewrite in PromoteThresholds().apply(opened, options)):
        run_to_fixpoint((Canonicalize, FixDynamicDims, FoldConstants), fixed, options)
        if not any(rewrite.applied for rewrite in PromoteThresholds().apply(fixed, options)):
            return None
        opened = fixed
    return NativeRunner(source.path, ir.to_proto(opened).SerializeToString())
