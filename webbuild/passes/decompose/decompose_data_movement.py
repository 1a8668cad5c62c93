from __future__ import annotations

import numpy as np
import onnx_ir as ir

from webbuild.passes.decompose.base import Decomposers, Decomposition, NotApplicableError, RewriteContext
from webbuild.passes.rewrite import constant, static_shape


class DecomposeDataMovement(Decomposition):
    """`SpaceToDepth(x)` -> `Reshape(Transpose(Reshape(x)))`; `Upsample(x, s)` -> `Reshape(Tile(Reshape(x)))`.

        SpaceToDepth<b>(x [N, C, H, W])           ->  Reshape(Transpose(Reshape(x))) [N, b * b * C, H / b, W / b]
        Upsample(x [N, C, H, W], (1, 1, s, s))    ->  Reshape(Tile(x [N, C, H, 1, W, 1]), [N, C, H * s, W * s])

    Why: neither has a GPU kernel.

    How: Upsample, an operator from before opset 10, becomes a Tile of new axes of size 1, one after each axis.

    Limits: fixed shapes; an Upsample in nearest mode with integer scales. Exact.
    """

    code = "decompose-data-movement"

    def decomposers(self) -> Decomposers:
        return {"SpaceToDepth": _space_to_depth, "Upsample": _upsample}


def _space_to_depth(add: RewriteContext, node: ir.Node) -> ir.Value:
    x, shape, block = node.inputs[0], static_shape(node.inputs[0]), node.attributes.get_int("blocksize", 1)
    if shape is None:
        raise NotApplicableError("its shape is not fixed")
    batch, channels, height, width = shape
    rows, columns = height // block, width // block
    # [N, C, H/b, b, W/b, b] -> [N, b, b, C, H/b, W/b]
    cut = add.reshape(x, [batch, channels, rows, block, columns, block])
    transposed = add.op("Transpose", cut, perm=[0, 3, 5, 1, 2, 4])
    return add.reshape(transposed, [batch, channels * block * block, rows, columns])


def _upsample(add: RewriteContext, node: ir.Node) -> ir.Value:
    x, shape = node.inputs[0], static_shape(node.inputs[0])
    scales = constant(node.inputs[1]) if len(node.inputs) > 1 else np.array(node.attributes.get_floats("scales", []))
    if shape is None or scales is None or len(scales) != len(shape) or (scales != np.round(scales)).any():
        raise NotApplicableError("its shape is not fixed, or its scales are not constant integers")
    if node.attributes.get_string("mode", "nearest") != "nearest":
        raise NotApplicableError("its mode is not nearest")
    pairs = [(size, int(scale)) for size, scale in zip(shape, scales, strict=True)]
    apart = [part for size, scale in pairs for part in ([size, 1] if scale > 1 else [size])]
    times = [time for _, scale in pairs for time in ([1, scale] if scale > 1 else [1])]
    tiled = add.op("Tile", add.reshape(x, apart), add.const(times, np.int64))
    return add.reshape(tiled, [size * scale for size, scale in pairs])
