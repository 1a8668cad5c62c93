from __future__ import annotations

import logging
import math
from collections import Counter
from functools import partial

import numpy as np
import onnx_ir as ir

from webbuild.passes.analysis.normalized_axes import SOFTMAX_OF_ONE_AXIS, SOFTMAXES
from webbuild.passes.analysis.shape_inference import infer_shapes
from webbuild.passes.base import Pass, PassOptions, Rewrite
from webbuild.passes.builder import Builder
from webbuild.passes.graphs import graphs_of
from webbuild.passes.rewrite import (
    constant,
    input_value,
    is_read,
    known_rank,
    opset_version,
    read_axes,
    replace_output,
    static_shape,
)

_LARGEST = 4 * 1024 * 1024
"""Largest number of elements of a folded constant."""

_LARGEST_FILL = 1024
"""Largest number of elements of a ConstantOfShape that is folded."""
_LARGEST_INT64_FILL = 1 << 17
"""The same for int64, such as the level of each anchor, as the GPU has no int64 ConstantOfShape."""
_ATTRIBUTES = {"Split": "split", "Squeeze": "axes", "Unsqueeze": "axes"}
"""Attributes that became the second input in opset 13."""
_SIZES_AS_INPUT, _SPLIT_BY_NUMBER = 13, 18
_CONSTANT_OF_NUMBERS = 12
"""The opset from which on a Constant may have `value_int` and `value_ints`."""
_COMPUTED_DIFFERENTLY = frozenset(
    [
        "AveragePool",
        "BatchNormalization",
        "ConvTranspose",
        "GlobalMaxPool",
        "LRN",
        "LpNormalization",
        "LpPool",
        "MaxPool",
        "MeanVarianceNormalization",
        "ReduceSumSquare",
    ]
)
"""Operators that ONNX's reference implementation, which the optimizer uses, computes differently from the kernels."""


class FoldConstants(Pass):
    """Folds constants: computes all values that do not depend on the inputs, such as shapes, anchor grids, indices.

        Shape(x [1, 3, 640, 640]) -> Gather -> Mul -> Range     ->  constant

    Why: with fixed input sizes most int64 arithmetic of an export is constant, and int64 has no GPU kernels.

    Limits: constants of up to 4,194,304 elements; a ConstantOfShape of more than 1,024 elements, in int64 131,072,
    stays a node. Correct to 1e-6: NumPy may round differently from the kernel.
    """

    code = "fold-constants"
    after = ("canonicalize", "fix-dynamic-dims")
    scope = "whole model"
    tolerance = 1e-6

    def apply(self, model: ir.Model, options: PassOptions) -> list[Rewrite]:
        from onnxscript import optimizer  # slow to import

        logging.getLogger(optimizer.__name__).setLevel(logging.ERROR)  # it warns about each node that it does not fold
        unnamed = [value for graph in graphs_of(model) for node in graph for value in node.outputs if not value.name]
        before = _operators(model)
        infer_shapes(model)
        _drop_ignored_keepdims(model)
        _fold_known_lengths(model)
        with np.errstate(all="ignore"):  # kernels do not warn of NaN and overflows either
            optimizer.fold_constants_ir(
                model,
                onnx_shape_inference=False,
                input_size_limit=_LARGEST,
                output_size_limit=_LARGEST,
                should_fold=partial(_should_fold, opset_version(model)),
            )
        _drop_optimizer_notes(model)
        for value in unnamed:  # the optimizer names omitted outputs, and kernels compute outputs that have a name
            value.name = ""
        _write_in_opset(model)
        folded = before - _operators(model)
        if folded:
            infer_shapes(model)
        return [self.applied("graph", f"{folded.total()} nodes computed in advance")] if folded else []


def _drop_optimizer_notes(model: ir.Model) -> None:
    """Drop the names of folded values, which the optimizer adds to the metadata of each result."""
    for graph in graphs_of(model):
        for value in (*graph.outputs, *graph.initializers.values(), *(out for node in graph for out in node.outputs)):
            value.metadata_props.pop("pkg.onnxscript.optimizer.folded_from", None)


def _operators(model: ir.Model) -> Counter[str]:
    return Counter(node.op_type for graph in graphs_of(model) for node in graph)


def _fold_known_lengths(model: ir.Model) -> None:
    """Gather(Shape(x [n, 4]), 1) -> 4: one size may be known while another, such as the number of boxes, is not."""
    for node in [each for graph in graphs_of(model) for each in graph if each.op_type == "Gather"]:
        sizes, places = node.inputs[0].producer() if node.inputs[0] is not None else None, constant(node.inputs[1])
        if sizes is None or sizes.op_type != "Shape" or places is None or places.size != 1:
            continue
        source = sizes.inputs[0].shape if sizes.inputs[0] is not None else None
        lengths, index = None if source is None else list(source)[read_axes(sizes)], int(places.flat[0])
        length = None if lengths is None or not -len(lengths) <= index < len(lengths) else lengths[index]
        if isinstance(length, int) and node.graph is not None:
            add = Builder(node.graph, node, f"{node.name or 'Gather'}/length")
            replace_output(node, add.const(np.full(places.shape, length), np.int64))
            node.graph.remove(node, safe=True)


def _drop_ignored_keepdims(model: ir.Model) -> None:
    """Remove the `keepdims` of a SplitToSequence by a list of sizes: only the optimizer applies it."""
    for node in (node for graph in graphs_of(model) for node in graph if node.op_type == "SplitToSequence"):
        if known_rank(input_value(node, 1)) == 1:
            node.attributes.pop("keepdims", None)


def _write_in_opset(model: ir.Model) -> None:
    """Write the nodes that the optimizer adds in the opset of the model; it writes those of opset 18.

    Split<num_outputs>(x)    ->  Split(x)               before opset 18
    Split(x, sizes)          ->  Split<split>(x)        before opset 13, Squeeze and Unsqueeze alike
    Constant<value_ints>     ->  Constant<value>        before opset 12, value_int alike
    """
    opset = opset_version(model)
    if opset < _CONSTANT_OF_NUMBERS:
        for node in (node for graph in graphs_of(model) for node in graph if node.op_type == "Constant"):
            numbers = constant(node.outputs[0])
            if numbers is not None and not node.attributes.keys() & {"value", "sparse_value"}:
                node.attributes.clear()
                node.attributes["value"] = ir.AttrTensor("value", ir.tensor(numbers))
    for node in (node for graph in graphs_of(model) for node in graph if node.op_type in _ATTRIBUTES):
        if opset < _SPLIT_BY_NUMBER:
            node.attributes.pop("num_outputs", None)
        value = input_value(node, 1) if opset < _SIZES_AS_INPUT else None
        if value is not None and (array := constant(value)) is not None:
            name, maker = _ATTRIBUTES[node.op_type], value.producer()
            node.attributes[name] = ir.AttrInt64s(name, array.ravel().tolist())
            node.resize_inputs(1)
            if maker is not None and maker.graph is not None and not is_read(value):
                maker.graph.remove(maker, safe=True)  # a Constant that older opsets do not allow


def _should_fold(opset: int, node: ir.Node) -> bool | None:
    """Whether to fold a node; None leaves the decision to the optimizer.

    The optimizer never folds a fill. It folds Bernoulli, whose result is random, a Softmax from before opset 13 as if
    it were of one axis, NonZero of a scalar to [0, n] instead of [1, n], a Slice that starts before its axis as Python
    does, an Unsqueeze before opset 13 axis by axis, and some Resizes differently from the kernels.
    """
    if node.op_type in _COMPUTED_DIFFERENTLY or node.op_type == "Bernoulli":
        return False
    if opset < SOFTMAX_OF_ONE_AXIS and node.op_type in SOFTMAXES:
        return False
    if node.op_type == "NonZero" and known_rank(node.inputs[0]) == 0:
        return False
    axes = node.attributes.get_ints("axes", ())
    if node.op_type == "Unsqueeze" and (list(axes) != sorted(axes) or (len(axes) > 1 and min(axes) < 0)):
        return False
    if node.op_type == "Slice" and _starts_before_axis(node):
        return False
    if node.op_type == "Resize" and _is_resized_differently(node):
        return False
    shape = constant(node.inputs[0]) if node.op_type == "ConstantOfShape" else None
    if shape is None or any(size < 0 for size in shape.tolist()):
        return None
    largest = _LARGEST_INT64_FILL if node.outputs[0].dtype == ir.DataType.INT64 else _LARGEST_FILL
    return True if math.prod(shape.tolist()) <= largest else None


def _starts_before_axis(node: ir.Node) -> bool:
    """Whether a Slice with a negative step starts before its axis."""
    starts, axes, steps = (constant(input_value(node, index)) for index in (1, 3, 4))
    shape = static_shape(node.inputs[0])
    if starts is None or steps is None or shape is None:
        return False
    named = range(starts.size) if axes is None else axes.tolist()  # without axes, the first ones
    bounds = zip(starts.tolist(), named, steps.tolist(), strict=True)
    return any(step < 0 and start < -shape[axis] for start, axis, step in bounds)


def _is_resized_differently(node: ir.Node) -> bool:
    """Whether `scales` give other sizes than whole ones, of which the optimizer uses the fractions and kernels do not.

    align_corners, 4 * 0.6 -> 2:       x * (4 - 1) / (2.4 - 1) instead of x * (4 - 1) / (2 - 1)
    pytorch_half_pixel, 3 * 0.6 -> 1:  (x + 0.5) / 0.6 - 0.5   instead of 0
    nearest, 4 * 0.6 -> 2:             1.5 / 0.6 - 0.5 rounds to 1.9999999 in float64, to 2 in float32
    """
    shape, scales = static_shape(node.inputs[0]), constant(input_value(node, 2))
    if shape is None or scales is None or len(scales) != len(shape):
        return False
    sizes = [size * float(scale) for size, scale in zip(shape, scales, strict=True)]
    mode = node.attributes.get_string("coordinate_transformation_mode", "half_pixel")
    is_nearest = node.attributes.get_string("mode", "nearest") == "nearest"
    exact = mode in ("half_pixel", "asymmetric", "pytorch_half_pixel") and not is_nearest
    return any(
        not size.is_integer() and (not exact or (mode == "pytorch_half_pixel" and int(size) == 1)) for size in sizes
    )
