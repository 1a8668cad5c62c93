from __future__ import annotations

import numpy as np
import onnx_ir as ir

from webbuild.passes.decompose.base import Decomposers, Decomposition, NotApplicableError, RewriteContext
from webbuild.passes.decompose.sampled_taps import SampledTaps, sample_and_convolve
from webbuild.passes.rewrite import constant, input_value, static_shape


class DecomposeDeformConv(Decomposition):
    """`DeformConv(x, w, offset, bias, mask)` -> `Conv(GridSample(x, taps + offset) * mask, w, bias)`.

        DeformConv(x [N, C, H, W], w [M, C / g, kh, kw], offset [N, 2 G T, h, w], bias, mask [N, G T, h, w])
            ->  Conv(GridSample(x, taps + offset) * mask [N, C T, h, w], w [M, C / g T, 1, 1]),  T = kh * kw

    Why: WebGPU has no kernel for DeformConv, which samples the input at computed offsets. On the CPU it is slow, and
    its large inputs are copied there.

    How: the pass computes the sampling grid from the offsets and the positions of the kernel taps.

    - GridSample samples the input at the grid, with zeros outside as in DeformConv.
    - A Mul applies the mask.
    - A 1 x 1 Conv, with each tap as a channel, sums over channels and taps.
    - Groups stay groups; offset groups become batches.
    - If the sampled values exceed half of the buffer limit, 64 MiB, the output is computed a few rows at a time.

    Limits: fixed shapes and constant weights. Accurate to 1e-5 of the largest magnitude: positions are scaled to -1..1
    and back.

    Source: ONNX's operator text; Zhu et al., Deformable ConvNets v2 (arXiv 1811.11168).
    """

    code = "decompose-deform-conv"
    tolerance = 1e-5

    def decomposers(self) -> Decomposers:
        return {"DeformConv": self._write}

    def _write(self, add: RewriteContext, node: ir.Node) -> ir.Value:
        form = _sampled_taps(node)
        x, offset = node.inputs[0], node.inputs[2]
        assert x is not None
        assert offset is not None
        limit = self.options.max_binding_size // 2
        return sample_and_convolve(add, form, x, offset, input_value(node, 4), input_value(node, 3), limit)


def _sampled_taps(node: ir.Node) -> SampledTaps:
    """Return the shapes and constants of a DeformConv."""
    source, target, weights = static_shape(node.inputs[0]), static_shape(node.outputs[0]), constant(node.inputs[1])
    if source is None or target is None or weights is None or len(source) != 4:
        raise NotApplicableError("its shapes are not fixed, or its weights are computed")
    kernel, sizes = weights.shape[2:], (target[2], target[3])
    strides = node.attributes.get_ints("strides", [1, 1])
    dilations = node.attributes.get_ints("dilations", [1, 1])
    pads = node.attributes.get_ints("pads", [0, 0, 0, 0])
    # tap k at output pixel p: p * stride + k * dilation - pad
    down, across = (
        np.arange(kernel[axis])[:, None] * dilations[axis] + np.arange(sizes[axis]) * strides[axis] - pads[axis]
        for axis in (0, 1)
    )
    base = (
        np.repeat(down, kernel[1], 0)[None, :, :, None].astype(np.float64),  # [1, kh * kw, h, 1]
        np.tile(across, (kernel[0], 1))[None, :, None, :].astype(np.float64),  # [1, kh * kw, 1, w]
    )
    return SampledTaps(
        tuple(source),
        sizes,
        kernel[0] * kernel[1],
        node.attributes.get_int("offset_group", 1),
        node.attributes.get_int("group", 1),
        base,
        weights,
    )
