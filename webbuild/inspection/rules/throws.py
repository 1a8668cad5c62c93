"""Nodes whose run throws."""

from __future__ import annotations

import math

import onnx_ir as ir

from webbuild.inspection.context import InspectionContext
from webbuild.inspection.kernels import STANDARD_DOMAINS
from webbuild.inspection.reshape_check import FIX, find_mismatch
from webbuild.inspection.rules.base import rule
from webbuild.passes.analysis.kernels_without_fix import unsupported_rnn_activations
from webbuild.passes.rewrite import input_value, is_read, known_rank, static_shape
from webbuild.passes.simplify.fold_empty_tensors import THROWS_ON_EMPTY
from webbuild.passes.workarounds.base import Symptom

_QUERY_KEY, _MASK, _PAST_KEY = 1, 3, 4
"""Input indices of Attention."""

_KEY_PADDING_MASK = 4
"""Input index of MultiHeadAttention."""

_NEAREST_RANKS = range(2, 6)
"""Ranks of a nearest Resize that the GPU supports."""


@rule("attention-mask-too-short", "Attention", placement=None, passes=("decompose-attention",))
def attention_mask_too_short(node: ir.Node, context: InspectionContext) -> Symptom | None:
    """The run throws: the mask of an Attention is shorter than its keys, including past keys.

    The message is `inconsistent total_sequence_length (between attn_mask and past_key and past_value)`. Native ONNX
    Runtime throws it too, though opset 24 allows such a mask.

    Fix: decompose-attention pads it; or pad the mask with minus infinity, or False, to the number of keys.

    Source: measured on 1.30.0.
    """
    key, mask, past = (static_shape(input_value(node, index)) for index in (_QUERY_KEY, _MASK, _PAST_KEY))
    if node.domain not in STANDARD_DOMAINS or not key or not mask:
        return None
    if input_value(node, _PAST_KEY) is not None and not past:
        return None
    keys = key[-2] + (past[-2] if past else 0)
    if mask[-1] == keys:
        return None
    return Symptom(f"its mask is for {mask[-1]} keys of {keys}", fix=f"pad the mask to {keys} columns")


@rule("batchnorm-training", "BatchNormalization", fix="export after model.eval()")
def batchnorm_training(node: ir.Node, context: InspectionContext) -> str | None:
    """The run throws: `BatchNormalization trainingMode is not supported yet`.

    Fix: export the model in evaluation mode, `model.eval()`. Without that the node runs on the CPU, which supports it.

    Source: measured on all versions and builds.
    """
    return "it computes statistics as in training" if node.attributes.get_int("training_mode", 0) else None


@rule("layernorm-scale-broadcast", "LayerNormalization", fix="expand the scale to the normalized shape")
def layernorm_scale_broadcast(node: ir.Node, context: InspectionContext) -> str | None:
    """The run throws: the scale of a LayerNormalization must be broadcast, which the kernel does not support.

    Fix: cpu-fallback; or expand the scale to the normalized shape.

    Source: measured on 1.30.0.
    """
    sizes, scale = static_shape(node.inputs[0]), static_shape(input_value(node, 1))
    if not sizes or scale is None:
        return None
    normalized = math.prod(sizes[node.attributes.get_int("axis", -1) :])
    return f"a scale of {math.prod(scale)} for {normalized} numbers" if math.prod(scale) != normalized else None


@rule("maxpool-indices", "MaxPool", fix="replace the unpooling that needs them")
def maxpool_indices(node: ir.Node, context: InspectionContext) -> str | None:
    """The run throws: `The Indices output is not supported yet`.

    Fix: cpu-fallback; MaxUnpool, which reads the indices, has no GPU kernel either.

    Source: measured on 1.30.0.
    """
    return "the GPU kernel of MaxPool gives no indices" if any(map(is_read, node.outputs[1:])) else None


@rule("maxpool-storage-order", "MaxPool", fix="remove storage_order")
def maxpool_storage_order(node: ir.Node, context: InspectionContext) -> str | None:
    """The run throws: `Using column major storage_order is not supported yet`, even if nothing reads the indices.

    Fix: remove storage_order from the export; otherwise cpu-fallback.

    Source: measured on 1.30.0.
    """
    return "storage_order is 1" if node.attributes.get_int("storage_order", 0) else None


@rule(
    "maybe-empty-tensor",
    *THROWS_ON_EMPTY,
    summary="throws if nothing is found",
    fix="take a fixed number of rows with TopK before it",
    passes=("pad-nms-output",),
)
def maybe_empty_tensor(node: ir.Node, context: InspectionContext) -> str | None:
    """The run throws if nothing is detected: the length depends on the data, and the kernel accepts no empty tensor.

    It works for every image with an object, and fails for the first image without one.

    Fix: fixed sizes before it; webbuild does so for non-maximum suppression.

    Source: measured on 1.24.3 to 1.31.0-dev; ultralytics #18867.
    """
    if node.inputs[0] not in context.dynamic_values:
        return None
    if node.op_type == "TopK" and known_rank(node.inputs[0]) == 1:
        return None  # the kernel handles an empty 1-D input
    return f"the length of its input depends on the data, and {node.op_type} accepts no empty tensor"


@rule("mha-key-padding-mask", "MultiHeadAttention", fix="pass the mask as attention_bias")
def mha_key_padding_mask(node: ir.Node, context: InspectionContext) -> str | None:
    """The run throws: the GPU kernel of MultiHeadAttention takes no key_padding_mask.

    Fix: add the mask to the scores, as attention_bias; or export without fusion.

    Source: the engine's kernel: `input key_padding_mask not implemented for webgpu`.
    """
    masked = input_value(node, _KEY_PADDING_MASK) is not None
    return "its GPU kernel takes no key_padding_mask" if masked else None


@rule("reshape-mismatch", "Reshape", "Squeeze", "Expand", placement=None, fix=FIX)
def reshape_mismatch(node: ir.Node, context: InspectionContext) -> str | None:
    """The run throws on every engine: the number of elements does not match the target shape.

    A size that was fixed at export does not match one from `--dim`. `pack` and `patch` stop here, before anything runs.
    Three operators show it:

    - a Reshape to another number of elements
    - a Squeeze of an axis with more than one element
    - an Expand of an axis to another size, where neither size is 1

    Fix: pass the sizes that the model was exported for, or export it again.

    Source: ONNX's operator texts of Reshape-1, Squeeze-1 and Expand-8, and their later versions.
    """
    return find_mismatch(node) if node.graph is context.model.graph else None


@rule("resize-rank", "Resize", fix="reshape to two to five axes")
def resize_rank(node: ir.Node, context: InspectionContext) -> str | None:
    """The run throws: a nearest Resize of a tensor of rank 1, or of rank 6 and above.

    The message is `is_2D || is_3D was false. Only bilinear/trilinear and bicubic modes are supported`.

    Fix: cpu-fallback; or a Reshape to two to five axes before it, and one back.

    Source: measured on 1.30.0.
    """
    rank = known_rank(node.inputs[0])
    if rank is None or rank in _NEAREST_RANKS or node.attributes.get_string("mode", "nearest") != "nearest":
        return None
    return f"it is of rank {rank}"


@rule("rnn-activation", "LSTM", "GRU", fix="export with Relu, Tanh or Sigmoid")
def rnn_activation(node: ir.Node, context: InspectionContext) -> str | None:
    """The run throws: the GPU kernels of LSTM and GRU only support Relu, Tanh and Sigmoid.

    Fix: export with one of these.

    Source: measured on 1.30.0.
    """
    missing = unsupported_rnn_activations(node)
    return f"its kernel has no {missing[0]}" if missing else None


@rule("tile-scalar", "Tile", fix="remove it")
def tile_scalar(node: ir.Node, context: InspectionContext) -> str | None:
    """The run throws: a Tile of a scalar has no repeats to pass to its shader.

    The message is `number of element of uniform variable must be greater than 0`.

    Fix: remove it from the export, since it repeats nothing; otherwise cpu-fallback.

    Source: measured on 1.30.0.
    """
    return "it repeats a number that has no axes" if known_rank(node.inputs[0]) == 0 else None
