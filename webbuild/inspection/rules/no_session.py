"""Nodes for which no session can be created."""

from __future__ import annotations

from functools import partial

import onnx_ir as ir

from webbuild.inspection.context import InspectionContext
from webbuild.inspection.rules.base import rule
from webbuild.inspection.unsupported import is_only_on_wasm
from webbuild.passes.rewrite import static_shape
from webbuild.passes.workarounds.base import Symptom

_no_session_rule = partial(rule, placement=None, summary="no session can be created", outcome="no-session")


@_no_session_rule(
    "inference-dropout",
    "Dropout",
    summary="no session without optimization",
    severity="warning",
    fix="export after model.eval()",
    passes=("canonicalize",),
)
def inference_dropout(node: ir.Node, context: InspectionContext) -> str | None:
    """Dropout has no kernel in builds since 1.25.1: the session loads only because the optimizer removes it.

    With graphOptimizationLevel `disabled` no session can be created.

    Fix: the pass canonicalize removes it; export after `model.eval()`.

    Source: measured on 1.25.1 to 1.31.0-dev.
    """
    return "there is no kernel for Dropout"


@_no_session_rule("non-portable-op", fix="export the model again, without ONNX Runtime's offline optimization")
def non_portable_op(node: ir.Node, context: InspectionContext) -> str | None:
    """No session can be created: ONNX Runtime optimized the model for another machine.

    ONNX Runtime's optimizer writes operators of com.microsoft.nchwc and com.ms.internal.nhwc for one CPU or GPU.

    Fix: export plain ONNX; never save a model with ONNX Runtime's optimizations on.

    Source: onnxruntime #23072.
    """
    if node.domain not in ("com.microsoft.nchwc", "com.ms.internal.nhwc"):
        return None
    return f"{node.domain} has operators for the machine that the model was optimized on"


@_no_session_rule("resize-unsupported", "Resize", fix="resize height and width only, on four axes")
def resize_unsupported(node: ir.Node, context: InspectionContext) -> str | None:
    """No session can be created: neither the GPU nor the CPU supports this form of Resize.

    Three forms are unsupported:

    - a cubic Resize on other than two or four axes
    - a linear or cubic Resize of batch and channels too
    - a linear Resize with exclude_outside

    Fix: reshape to four axes, or resize axis by axis.

    Source: measured on 1.24.3 to 1.31.0-dev.
    """
    mode = node.attributes.get_string("mode", "nearest")
    before, after = static_shape(node.inputs[0]), static_shape(node.outputs[0])
    if before is None or after is None or mode == "nearest" or context.placements[node].kind == "none":
        return None
    if mode == "cubic" and len(before) not in (2, 4):
        return f"cubic takes two or four axes, not {len(before)}"
    if mode == "linear" and node.attributes.get_int("exclude_outside", 0) != 0:
        return "exclude_outside is for cubic only"
    changed = sum(a != b for a, b in zip(before, after, strict=False))
    return "it resizes the channels too" if len(before) == 4 and changed > 2 else None


@_no_session_rule(
    "rnn-batch-first", "GRU", "LSTM", "RNN", fix="transpose the input and the output around a layer of layout 0"
)
def rnn_batch_first(node: ir.Node, context: InspectionContext) -> str | None:
    """No session can be created: the recurrent layer is batch-first (layout 1).

    The message is `Batchwise recurrent operations (layout == 1) are not supported`. Native ONNX Runtime does not
    support them either.

    Fix: transpose the input and the output around a layer of layout 0.

    Source: measured on 1.30.0.
    """
    batch_first = node.attributes.get_int("layout", 0) != 0
    return "its layout is 1, batch first" if batch_first else None


@_no_session_rule("unimplemented-dtype", placement="none", passes=("float64-to-float32",))
def unimplemented_dtype(node: ir.Node, context: InspectionContext) -> Symptom | None:
    """No session can be created: the build has no kernel for this operator and type, on the GPU or on the CPU.

    The WebGPU builds since 1.25.1 have no CPU kernels for float64, int16 and uint16, and no build has any for bfloat16.
    They also lack the operators of `ai.onnx.ml`, of strings, and of optional values. The WASM build has all of these.
    One node is enough, even one that would be folded: `Provider type for ... node is not set`.

    Fix: float64-to-float32 converts the graph; at export, keep numpy's float64 constants out of the model. A model with
    the other operators runs on WASM: pack writes a bundle for it.

    Source: measured on 1.25.1 to 1.31.0-dev.
    """
    dtype = context.placements[node].kernel.dtype or "this type"
    reason = f"no kernel of this build computes {node.op_type} in {dtype}, on the GPU or on the CPU"
    if is_only_on_wasm(node):
        return Symptom(reason, fix="webbuild pack, which runs the model on WASM", fixed_by="")
    return Symptom(
        reason,
        fix=f"cast {dtype} to a type that the build computes: float for double, int32 for int16 and uint16",
    )
