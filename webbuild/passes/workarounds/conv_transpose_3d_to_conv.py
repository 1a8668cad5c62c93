from __future__ import annotations

import onnx_ir as ir

from webbuild.passes.builder import Builder
from webbuild.passes.rewrite import known_rank, replace_all_uses, static_shape
from webbuild.passes.workarounds.base import DefectContext, PassContext, Symptom, Workaround
from webbuild.passes.workarounds.conv_transpose_weights import ConvTransposeWeights

_RANK_3D = 5


class ConvTranspose3DToConv(Workaround):
    """ConvTranspose(x [N, C, D, H, W], w [C, M, *kernel]) -> Conv(x with zeros between its cells, flipped w).

    Defect: the run throws: `Only Conv2d or Conv1d are supported`.

    Why: the kernel supports only 1-D and 2-D inputs. U-Nets for medical volumes have a 3-D ConvTranspose at every level
    of the decoder.

    How: the pass writes a Conv with zeros between the cells of x and flipped weights. If the kernel is as large as its
    stride, each input cell gives a separate block of output cells: a 1x1 Conv computes them as channels, and a
    Transpose puts them in place.

    Limits: all shapes must be fixed.

    Exact: to 1e-5 of the largest magnitude, because sums are rounded in another order.

    Source: measured on 1.30.0; onnxruntime #28356.
    """

    code = "conv-transpose-3d-to-conv"
    finding = "conv-transpose-3d"
    operators = ("ConvTranspose",)
    fix = "write it as a Conv"
    probe = "conv_transpose/3-D"
    tolerance = 1e-5

    def affects(self, node: ir.Node, context: DefectContext) -> Symptom | None:
        if not any(known_rank(value) == _RANK_3D for value in node.inputs[:2]):
            return None
        return Symptom("the GPU kernel takes 1-D and 2-D inputs only")

    def refusal(self, node: ir.Node, context: DefectContext) -> str | None:
        values = (*node.inputs[:2], node.outputs[0])
        return "its shapes are not fixed" if any(static_shape(value) is None for value in values) else None

    def rewrite(self, node: ir.Node, context: PassContext) -> str:
        source, shape, target = (static_shape(value) or [] for value in (*node.inputs[:2], node.outputs[0]))
        add, strides = Builder(context.model.graph, node, f"{node.name or 'ConvTranspose'}/conv"), _strides(node)
        weights, begin = ConvTransposeWeights(add, node, shape), _crop_begin(node, source, target, shape)
        extent = [reach + 1 for reach in _kernel_extent(node, shape)]
        if extent == shape[2:] == strides and not any(begin) and _scaled_sizes(source, strides) == target[2:]:
            result, how = _by_blocks(add, node, weights, source, target), "each cell gives a separate block"
        else:
            result, how = _by_zero_insertion(add, node, weights, source, target, begin), "zeros between the cells"
        if len(node.inputs) > 2 and node.inputs[2] is not None:
            bias = add.reshape(node.inputs[2], [1, target[1], 1, 1, 1])
            result = add.op("Add", result, bias)
        replace_all_uses(node.outputs[0], result)
        return f"written as a Conv: {how}"


def _strides(node: ir.Node) -> list[int]:
    return list(node.attributes.get_ints("strides", [1, 1, 1]))


def _scaled_sizes(source: list[int], strides: list[int]) -> list[int]:
    return [size * stride for size, stride in zip(source[2:], strides, strict=True)]


def _kernel_extent(node: ir.Node, weights: list[int]) -> list[int]:
    """Return the dilated size of the kernel minus 1, for each axis."""
    dilations = node.attributes.get_ints("dilations", [1, 1, 1])
    return [step * (size - 1) for step, size in zip(dilations, weights[2:], strict=True)]


def _crop_begin(node: ir.Node, source: list[int], target: list[int], weights: list[int]) -> list[int]:
    """Return the cells cropped at the beginning of each axis; without pads, computed from the output size."""
    automatic = node.attributes.get_string("auto_pad", "NOTSET")
    if automatic in ("NOTSET", "VALID") and "output_shape" not in node.attributes:
        return list(node.attributes.get_ints("pads", [0] * 6))[:3]
    strides, reach = _strides(node), _kernel_extent(node, weights)
    extra = node.attributes.get_ints("output_padding", [0, 0, 0])
    total = [
        max(0, strides[axis] * (source[axis + 2] - 1) + extra[axis] + reach[axis] + 1 - target[axis + 2])
        for axis in range(3)
    ]
    return [cut // 2 if automatic == "SAME_UPPER" else cut - cut // 2 for cut in total]


def _by_blocks(
    add: Builder, node: ir.Node, weights: ConvTransposeWeights, source: list[int], target: list[int]
) -> ir.Value:
    """Add a 1x1 Conv with a channel for each cell of a block, and move the channels to their cells.

    [N, C, D, H, W] -> [N, M*a*b*c, D*H, W] -> [N*M, a, b, c, D, H, W] -> [N*M, D, a, H, b, W, c]
    -> [N, M, a*D, b*H, c*W]
    """
    batch, channels, depth, height, width = source
    groups, block = weights.groups, weights.shape[2:]
    outputs = weights.shape[1] * groups
    cells = add.reshape(node.inputs[0], [batch, channels, depth * height, width])
    blocks = add.op("Conv", cells, weights.as_pointwise_conv(), group=groups)
    blocks = add.reshape(blocks, [batch * outputs, *block, depth, height, width])
    blocks = add.op("Transpose", blocks, perm=[0, 4, 1, 5, 2, 6, 3])
    return add.reshape(blocks, target)


def _by_zero_insertion(
    add: Builder, node: ir.Node, weights: ConvTransposeWeights, source: list[int], target: list[int], begin: list[int]
) -> ir.Value:
    """Add a Conv with the flipped kernel over the input with stride - 1 zeros after each cell."""
    strides, reach = _strides(node), _kernel_extent(node, weights.shape)
    data = node.inputs[0]
    if any(stride > 1 for stride in strides):
        apart = [batch_and_cell for size in source[2:] for batch_and_cell in (size, 1)]
        after = [zeros for stride in strides for zeros in (0, stride - 1)]
        data = add.reshape(data, [source[0] * source[1], *apart])
        data = add.pad(data, [0] * 7, [0, *after])
        data = add.reshape(data, [*source[:2], *_scaled_sizes(source, strides)])
    before = [far - cut for far, cut in zip(reach, begin, strict=True)]
    sizes = _scaled_sizes(source, strides)
    after = [target[axis + 2] + reach[axis] - sizes[axis] - before[axis] for axis in range(3)]
    data = add.pad(data, [0, 0, *before], [0, 0, *after])
    dilations = list(node.attributes.get_ints("dilations", [1, 1, 1]))
    return add.op("Conv", data, weights.as_flipped_conv(), group=weights.groups, dilations=dilations)
