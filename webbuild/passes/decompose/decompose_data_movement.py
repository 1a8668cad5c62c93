from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import onnx_ir as ir

from webbuild.passes.decomposition import Decomposer, Decomposition, NotApplicableError, RewriteContext
from webbuild.passes.rewrite import constant, static_shape


class DecomposeDataMovement(Decomposition):
    """Writes SpaceToDepth, Compress, ReverseSequence and Upsample with operators that have GPU kernels.

        SpaceToDepth<b>(x [N, C, H, W])           ->  Reshape(Transpose(Reshape(x))) [N, b * b * C, H / b, W / b]
        Compress<axis>(x, mask)                   ->  Gather<axis>(x, places of the mask)
        ReverseSequence(x [T, B, ...], lengths)   ->  GatherND(x, places [T, B, 2])
        Upsample(x [N, C, H, W], (1, 1, s, s))    ->  Reshape(Tile(x [N, C, H, 1, W, 1]), [N, C, H * s, W * s])

    Why: none of the four has one.

    How: SpaceToDepth, as a network's stem has it, is Reshape, Transpose, Reshape. Compress by a constant mask is a
    Gather of the rows kept, ReverseSequence of constant lengths a GatherND; Upsample by whole factors, before opset 10,
    is a Tile of axes of size 1 after each. Exact.
    """

    code = "decompose-data-movement"

    def decomposers(self) -> Mapping[str, Decomposer]:
        return {
            "SpaceToDepth": _space_to_depth,
            "Compress": _compress,
            "ReverseSequence": _reverse_sequence,
            "Upsample": _upsample,
        }


def _space_to_depth(add: RewriteContext, node: ir.Node) -> ir.Value:
    x, shape, block = node.inputs[0], static_shape(node.inputs[0]), node.attributes.get_int("blocksize", 1)
    if shape is None:
        raise NotApplicableError("its shape is not fixed")
    batch, channels, height, width = shape
    rows, columns = height // block, width // block
    # [N, C, H/b, b, W/b, b] -> [N, b, b, C, H/b, W/b]
    cut = add.op("Reshape", x, add.const([batch, channels, rows, block, columns, block], np.int64))
    turned = add.op("Transpose", cut, perm=[0, 3, 5, 1, 2, 4])
    return add.op("Reshape", turned, add.const([batch, channels * block * block, rows, columns], np.int64))


def _compress(add: RewriteContext, node: ir.Node) -> ir.Value:
    x, mask = node.inputs[0], constant(node.inputs[1])
    if mask is None:
        raise NotApplicableError("its mask is computed")
    kept = add.const(np.flatnonzero(mask), np.int64)
    if "axis" in node.attributes:
        return add.op("Gather", x, kept, axis=node.attributes.get_int("axis", 0))
    return add.op("Gather", add.op("Reshape", x, add.const([-1], np.int64)), kept, axis=0)


def _reverse_sequence(add: RewriteContext, node: ir.Node) -> ir.Value:
    x, shape, lengths = node.inputs[0], static_shape(node.inputs[0]), constant(node.inputs[1])
    if shape is None or lengths is None:
        raise NotApplicableError("its shape is not fixed, or its lengths are computed")
    time_first = node.attributes.get_int("time_axis", 0) == 0
    steps, batch = (shape[0], shape[1]) if time_first else (shape[1], shape[0])
    step, row = np.arange(steps)[:, None], np.arange(batch)[None]
    # step t of a row of length n is read from n - 1 - t, and from t after its end: [T, B]
    from_step = np.where(step < lengths[None], lengths[None] - 1 - step, step)
    from_row = np.broadcast_to(row, from_step.shape)
    axes = (0, 1) if time_first else (1, 0)
    places = np.stack([from_step, from_row], -1) if time_first else np.stack([from_row, from_step], -1)
    return add.op("GatherND", x, add.const(places.transpose(*axes, 2), np.int64))


def _upsample(add: RewriteContext, node: ir.Node) -> ir.Value:
    x, shape = node.inputs[0], static_shape(node.inputs[0])
    scales = constant(node.inputs[1]) if len(node.inputs) > 1 else np.array(node.attributes.get_floats("scales", []))
    if shape is None or scales is None or len(scales) != len(shape) or (scales != np.round(scales)).any():
        raise NotApplicableError("its shape is not fixed, or its scales are not whole constants")
    if node.attributes.get_string("mode", "nearest") != "nearest":
        raise NotApplicableError("it is smooth")
    pairs = [(size, int(scale)) for size, scale in zip(shape, scales, strict=True)]
    apart = [part for size, scale in pairs for part in ([size, 1] if scale > 1 else [size])]
    times = [time for _, scale in pairs for time in ([1, scale] if scale > 1 else [1])]
    tiled = add.op("Tile", add.op("Reshape", x, add.const(apart, np.int64)), add.const(times, np.int64))
    return add.op("Reshape", tiled, add.const([size * scale for size, scale in pairs], np.int64))
