from __future__ import annotations

import onnx_ir as ir

from webbuild.passes.base import Pass, PassOptions, Rewrite
from webbuild.passes.builder import Builder
from webbuild.passes.decompose.sampled_taps import sample_and_convolve
from webbuild.passes.decompose.unrolled_deform_conv import match_unrolled
from webbuild.passes.opset.raise_opset import raise_opset
from webbuild.passes.rewrite import find_nodes, opset_version, replace_output

_MIN_OPSET = 16
"""First opset with GridSample."""


class FoldDeformConv(Pass):
    """A deformable convolution exported as four Gathers -> `Conv(GridSample(x, p) * mask, w)`.

        p = base + offset [N, G, T, 2, h, w],  T = kh * kw
        Conv(Transpose(mask * sum over 4 corners of weight(p) * GatherND(Pad(x), Clip(Cast(Floor(p))))), w)
            ->  Conv(GridSample(x [N, C, H, W], p) * mask [N, C T, h, w], w [M, C / g T, 1, 1])

    Why: PyTorch's exporter has no DeformConv for older opsets, so deform_conv2d_onnx_exporter writes it with int64
    indices. WebGPU has no int64, so they are computed on the CPU. Four tensors with all taps of all channels exist at
    the same time: 784 MiB each for a 7 x 7 kernel over 64 channels of 256 x 256.

    How: GridSample interpolates between the four corners, with zeros outside the image.

    - The base and the scale of the offsets are constants along rows and columns.
    - Offset groups become batches; the groups of the Conv stay.
    - If the sampled values exceed half of the buffer limit, 64 MiB, the output is computed a few rows at a time.

    Limits: fixed shapes, constant weights, and at least one row and column of padding on every side, which the exporter
    always adds. Accurate to 1e-5 of the largest magnitude: positions are scaled to -1..1 and back.

    Source: `deform_conv2d_onnx_exporter` 1.2.0; Zhu et al., Deformable ConvNets v2 (arXiv 1811.11168).
    """

    code = "fold-deform-conv"
    after = ("fold-constants", "float64-to-float32")
    scope = "main graph"
    tolerance = 1e-5

    def apply(self, model: ir.Model, options: PassOptions) -> list[Rewrite]:
        rewrites = []
        for conv in find_nodes(model, "Conv"):
            unrolled = match_unrolled(conv)
            if unrolled is None:
                continue
            if (reason := raise_opset(model, _MIN_OPSET)) is not None:
                rewrites.append(self.skipped(conv, reason))
                continue
            add = Builder(model.graph, conv, f"{conv.name or 'Conv'}/sampled", opset_version(model))
            form, limit = unrolled.form, options.max_binding_size // 2
            result = sample_and_convolve(add, form, unrolled.x, unrolled.offset, unrolled.mask, unrolled.bias, limit)
            replace_output(conv, result)
            model.graph.remove(conv, safe=True)
            kernel, target = (" x ".join(map(str, each)) for each in (form.weights.shape[2:], form.target))
            rewrites.append(self.applied(conv, f"a kernel of {kernel}, read by GridSample at {target} places"))
        return rewrites
