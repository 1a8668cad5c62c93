"""Resizes that the GPU refuses or gets wrong."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.passes._base import Edit, Options, Pass
from webbuild.passes._graph import Builder, constant, dims, nodes_of, replace
from webbuild.passes._resize_matrix import Filter, matrix

_COORDINATES = ("half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric")

_LARGEST = 4 * 1024 * 1024
"""Elements of the largest matrix."""


class ResizeByMatmul(Pass):
    """Resizes by a product with a constant matrix for each axis, where the kernel throws or is wrong.

    Why: the WebGPU kernel of Resize throws for antialias, which PyTorch's interpolate(antialias=True) and
    torchvision's Resize export. And it takes the last two axes for height and width: a linear or cubic Resize of a
    picture with its channels last, as TensorFlow has them, gives wrong numbers and says nothing.

    How: a linear or cubic Resize is linear in its input, and each axis stands for itself: the weights of each are a
    matrix. Right to 1e-5 of the largest magnitude. Needs fixed shapes and float32.
    """

    code = "resize-by-matmul"
    after = ("fold-constants",)
    target = "webgpu"

    def apply(self, model: ir.Model, options: Options) -> list[Edit]:
        """Write each as products."""
        edits = []
        for node in nodes_of(model, "Resize"):
            source, target, how = dims(node.inputs[0]), dims(node.outputs[0]), _filter(node)
            if how is None or not (how.antialias or _may_have_channels_last(node)):
                continue
            where = f"Resize '{node.name}'"
            if source is None or target is None:
                edits.append(self.left(where, "its shapes are not fixed"))
                continue
            axes = [axis for axis, size in enumerate(source) if size != target[axis]]
            if not axes or not (how.antialias or _is_wrong(axes, len(source))):
                continue
            scales = _scales(node, source, target)
            large = any(source[axis] * target[axis] > _LARGEST for axis in axes)
            if how.coordinates not in _COORDINATES or scales is None or large:
                edits.append(self.left(where, f"its scales are not known, or {how.coordinates} has no matrix"))
                continue
            add = Builder(model.graph, node, f"{node.name or 'Resize'}/matmul")
            result = node.inputs[0]
            for axis in axes:
                result = _scaled(add, result, axis, len(source), how, source[axis], scales[axis], target[axis])
            assert result is not None
            replace(node.outputs[0], result)
            edits.append(self.done(where, f"a product with a matrix for each of {len(axes)} axes"))
        return edits


def _filter(node: ir.Node) -> Filter | None:
    """Return how a Resize reads, None for one that is not linear in its input, or of another type than float32."""
    mode, text = node.attributes.get_string("mode", "nearest"), node.attributes.get_string
    x = node.inputs[0]
    if mode not in ("linear", "cubic") or x is None or x.dtype != ir.DataType.FLOAT:
        return None
    return Filter(
        text("coordinate_transformation_mode", "half_pixel"),
        node.attributes.get_float("cubic_coeff_a", -0.75) if mode == "cubic" else None,
        node.attributes.get_int("antialias", 0) != 0,
        node.attributes.get_int("exclude_outside", 0) != 0,
    )


def _may_have_channels_last(node: ir.Node) -> bool:
    x = node.inputs[0]
    return x is not None and x.shape is not None and len(x.shape) == 4


def _is_wrong(axes: list[int], rank: int) -> bool:
    """Whether another axis than the last two of four is resized, the last being left alone."""
    return rank == 4 and rank - 1 not in axes and any(axis < rank - 2 for axis in axes)


def _scales(node: ir.Node, source: list[int], target: list[int]) -> list[float] | None:
    """Return the scale of each axis: what is given, or the quotient of sizes; None for what is not known."""
    given = constant(node.inputs[2]) if len(node.inputs) > 2 else None
    axes = list(node.attributes.get_ints("axes", range(len(source))))
    scales = [result / size for size, result in zip(source, target, strict=True)]
    if given is not None and given.size:
        if given.size != len(axes):
            return None
        for axis, scale in zip(axes, given.tolist(), strict=True):
            exact = source[axis] * scale
            if exact != round(exact) and abs(exact - round(exact)) < 1e-3:  # engines round such a size up or down
                return None
            scales[axis] = scale
    elif len(node.inputs) > 2 and node.inputs[2] is not None and given is None:
        return None
    kept = node.attributes.get_string("keep_aspect_ratio_policy", "stretch") == "stretch"
    return scales if kept or (given is not None and given.size) else None


def _scaled(
    add: Builder,
    data: ir.Value | None,
    axis: int,
    rank: int,
    how: Filter,
    size: int,
    scale: float,
    result: int,
) -> ir.Value:
    """Return the product along one axis: from the left for the last but one, else as the last."""
    weights = matrix(how, size, scale, result)
    if axis == rank - 2:
        return add.op("MatMul", add.const(weights), data)
    if axis == rank - 1:
        return add.op("MatMul", data, add.const(weights.T))
    order = list(range(rank))
    order[axis], order[rank - 2] = order[rank - 2], order[axis]
    turned = add.op("Transpose", data, perm=order)
    return add.op("Transpose", add.op("MatMul", add.const(weights), turned), perm=order)
