from __future__ import annotations

import onnx_ir as ir

from webbuild.passes.builder import Builder
from webbuild.passes.rewrite import constant, replace_all_uses, static_shape
from webbuild.passes.workarounds.base import DefectContext, PassContext, Symptom, Workaround
from webbuild.passes.workarounds.resize_matrix import ResizeFilter, resize_matrix

_COORDINATES = ("half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric")

_MAX_MATRIX_ELEMENTS = 4 * 1024 * 1024
"""Maximum elements of a matrix."""


class ResizeToMatmul(Workaround):
    """Resize(x [N, C, H, W] to [N, C, H', W']) -> MatMul(MatMul(A [H', H], x), B [W, W']), and other axes alike.

    Defect: the run throws for antialias; the answer is wrong for a linear or cubic Resize with channels last.

    Why: two forms of Resize fail on the GPU. Mode nearest is right.

    - Antialias: `The antialias attribute of Resize operator is NOT implemented`. PyTorch's
      interpolate(antialias=True) and torchvision's Resize export it.
    - Channels last: the kernel assumes that the last two axes are height and width. Exports of TensorFlow and Keras
      have a linear or cubic Resize by [1, s, s, 1].

    How: a linear or cubic Resize is linear in its input and separable by axis, so the weights of each axis are a
    matrix.

    Limits: float32, fixed shapes, known scales, matrices of up to 4 Mi elements. Others go to the CPU (cpu-fallback).

    Exact: to 1e-5 of the largest magnitude.

    Source: measured on 1.30.0; the weights are those of ONNX's reference implementation.
    """

    code = "resize-to-matmul"
    finding = "resize-antialias"
    other_findings = ("resize-channels-last",)
    operators = ("Resize",)
    fix = "export without antialias"
    probe = "resize/cubic antialias down"
    tolerance = 1e-5
    after = ("fold-constants", "compute-in-float32")

    def affects(self, node: ir.Node, context: DefectContext) -> Symptom | None:
        if node.attributes.get_int("antialias", 0):
            return Symptom("the GPU kernel does not implement antialias")
        before, after = static_shape(node.inputs[0]), static_shape(node.outputs[0])
        smooth = node.attributes.get_string("mode", "nearest") != "nearest"
        if not smooth or before is None or after is None or len(before) != 4:
            return None
        if before[3] != after[3] or before[:2] == after[:2]:  # the last axis is resized, or the first two are not
            return None
        return Symptom(
            f"it resizes {before} to {after}, as if the channels came first",
            summary="wrong answer",
            outcome="wrong",
            fix="transpose to channels first before it, and back after it",
            finding="resize-channels-last",
        )

    def refusal(self, node: ir.Node, context: DefectContext) -> str | None:
        source, target, how = static_shape(node.inputs[0]), static_shape(node.outputs[0]), _filter(node)
        if how is None:
            return "its mode is nearest, or it is not float32"
        if source is None or target is None:
            return "its shapes are not fixed"
        large = any(source[axis] * target[axis] > _MAX_MATRIX_ELEMENTS for axis in _axes(source, target))
        if how.coordinates not in _COORDINATES or _scales(node, source, target) is None or large:
            return f"its scales are not known, its matrix is too large, or {how.coordinates} is not supported"
        return None if source != target else "its output has the size of its input"

    def rewrite(self, node: ir.Node, context: PassContext) -> str:
        source, target, how = static_shape(node.inputs[0]), static_shape(node.outputs[0]), _filter(node)
        assert source is not None
        assert target is not None
        assert how is not None
        scales, axes = _scales(node, source, target) or [], _axes(source, target)
        add, result = Builder(context.model.graph, node, f"{node.name or 'Resize'}/matmul"), node.inputs[0]
        for axis in axes:
            result = _scaled(add, result, axis, len(source), how, source[axis], scales[axis], target[axis])
        replace_all_uses(node.outputs[0], result)
        return f"a product with a matrix for each of {len(axes)} axes"


def _axes(source: list[int], target: list[int]) -> list[int]:
    return [axis for axis, size in enumerate(source) if size != target[axis]]


def _filter(node: ir.Node) -> ResizeFilter | None:
    """Return the attributes of a Resize; None unless its mode is linear or cubic and its type float32."""
    mode, text = node.attributes.get_string("mode", "nearest"), node.attributes.get_string
    x = node.inputs[0]
    if mode not in ("linear", "cubic") or x is None or x.dtype != ir.DataType.FLOAT:
        return None
    return ResizeFilter(
        text("coordinate_transformation_mode", "half_pixel"),
        node.attributes.get_float("cubic_coeff_a", -0.75) if mode == "cubic" else None,
        node.attributes.get_int("antialias", 0) != 0,
        node.attributes.get_int("exclude_outside", 0) != 0,
    )


def _scales(node: ir.Node, source: list[int], target: list[int]) -> list[float] | None:
    """Return the scale of each axis: the input `scales`, or the quotient of sizes; None if not known."""
    stored_scales = constant(node.inputs[2]) if len(node.inputs) > 2 else None
    axes = list(node.attributes.get_ints("axes", range(len(source))))
    scales = [result / size for size, result in zip(source, target, strict=True)]
    if stored_scales is not None and stored_scales.size:
        if stored_scales.size != len(axes):
            return None
        for axis, scale in zip(axes, stored_scales.tolist(), strict=True):
            exact = source[axis] * scale
            if exact != round(exact) and abs(exact - round(exact)) < 1e-3:  # engines round such a size up or down
                return None
            scales[axis] = scale
    elif len(node.inputs) > 2 and node.inputs[2] is not None and stored_scales is None:
        return None
    stretches = node.attributes.get_string("keep_aspect_ratio_policy", "stretch") == "stretch"
    return scales if stretches or (stored_scales is not None and stored_scales.size) else None


def _scaled(
    add: Builder, data: ir.Value | None, axis: int, rank: int, how: ResizeFilter, size: int, scale: float, result: int
) -> ir.Value:
    """Add the product along one axis: from the left for axis -2, from the right for axis -1, else transposed."""
    weights = resize_matrix(how, size, scale, result)
    if axis == rank - 2:
        return add.op("MatMul", add.const(weights), data)
    if axis == rank - 1:
        return add.op("MatMul", data, add.const(weights.T))
    order = list(range(rank))
    order[axis], order[rank - 2] = order[rank - 2], order[axis]
    transposed = add.op("Transpose", data, perm=order)
    return add.op("Transpose", add.op("MatMul", add.const(weights), transposed), perm=order)
