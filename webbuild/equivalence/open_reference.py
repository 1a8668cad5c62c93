"""Native sessions of the original: as exported, or minimally rewritten if ONNX Runtime cannot run it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from webbuild.errors import WebbuildError
from webbuild.model.load import OnnxModel
from webbuild.passes.lower import run_to_fixpoint
from webbuild.runners.native import NativeRunner

if TYPE_CHECKING:
    import onnx_ir as ir


def open_reference(source: OnnxModel) -> tuple[NativeRunner, tuple[str, ...]]:
    """Return a runner of the original, and the assumptions made to open it.

    The original is rewritten, with an assumption, in two cases:

    - ONNX Runtime lacks a native kernel, such as float64 GridSample or bool Where: these nodes are decomposed.
    - Inputs or outputs are float16: they become float32 with Casts, as in the patched graphs, because ONNX Runtime
      fuses across these Casts.

    Raises:
        WebbuildError: `reference-session-failed` for any other failure.
    """
    import onnx_ir as ir

    from webbuild.passes.analysis.shape_inference import infer_shapes
    from webbuild.passes.decompose.decompose_bool_where import DecomposeBoolWhere
    from webbuild.passes.dtypes.float64_to_float32 import Float64ToFloat32

    if cast := _with_float32_io(source.model):
        with_casts, assumption = cast
        return NativeRunner(source.path, ir.to_proto(with_casts).SerializeToString()), (assumption,)
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
    """Return a clone with float32 inputs and outputs, and the assumption; None if none of them is float16."""
    import onnx_ir as ir

    from webbuild.passes.base import PassOptions
    from webbuild.passes.dtypes.float16_io import Float16Io

    if all(value.dtype != ir.DataType.FLOAT16 for value in (*model.graph.inputs, *model.graph.outputs)):
        return None
    clone = model.clone()
    done = Float16Io().apply(clone, PassOptions())
    places = ", ".join(rewrite.location for rewrite in done)
    return (clone, f"float32 in place of float16, with a Cast in the graph: {places}") if done else None


def open_with_threshold_inputs(source: OnnxModel, sizes: Mapping[str, int]) -> NativeRunner | None:
    """Return a runner of the original with its thresholds as inputs; None if they are not found.

    The rest stays as exported, including data-dependent NMS. If free sizes hide the NMS, they are fixed and constants
    are folded first.
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
