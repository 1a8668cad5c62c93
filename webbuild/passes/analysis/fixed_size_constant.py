"""Constants that fix the image size, such as position embeddings, in a model that was exported with free sizes."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from webbuild.passes.rewrite import constant

if TYPE_CHECKING:
    import onnx_ir as ir

_FAILED_NODE = re.compile(r"running (\w+) node\. Name:'([^']*)'")
_BROADCAST = re.compile(r"(\d+) by (\d+)")
"""The two sizes of an axis that do not broadcast, in ONNX Runtime's message."""
_OPERATORS = ("Add", "Sub", "Mul", "Div", "Concat", "Where")
"""Operators that combine a constant with the image features, elementwise or by concatenation."""
_EXTRA_TOKENS = (0, 1, 2, 5)
"""Numbers of tokens besides the patches: none; class; class and distillation; class and four registers."""


def fixed_size_constant(model: ir.Model, message: str) -> str | None:
    """Describe the constant that made native ONNX Runtime fail at another image size; None if there is none.

    Args:
        model: the model, with free sizes.
        message: ONNX Runtime's error message, which names the node that failed.
    """
    failed = _FAILED_NODE.search(message)
    if failed is None or failed[1] not in _OPERATORS:
        return None
    unequal = _BROADCAST.search(message)
    sizes = {int(size) for size in unequal.groups()} if unequal else set()
    for node in model.graph:
        if node.op_type == failed[1] and (node.name or "") == failed[2]:
            for name, shape in _constant_inputs(node):
                if sizes and sizes.isdisjoint(shape):  # another node of the same name, or none
                    continue
                implied = _implied_size(shape, _patch_size(model))
                where = f"{node.op_type} '{node.name}'" if node.name else f"an unnamed {node.op_type}"
                size_text = f", made for pictures of {implied}" if implied else ", made for one size of picture"
                return f"'{name}' [{', '.join(map(str, shape))}] of {where} is a constant{size_text}"
    return None


def _constant_inputs(node: ir.Node) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Yield names and shapes of a node's constants with more than one axis longer than 1."""
    for value in node.inputs:
        array = constant(value)
        if value is not None and array is not None and sum(size > 1 for size in array.shape) > 1:
            yield value.name or "", array.shape


def _implied_size(shape: tuple[int, ...], patch: tuple[int, int] | None) -> str:
    """Return the image size of position embeddings [1, tokens, C] or [1, C, rows, columns]; "" if unknown."""
    if patch is None:
        return ""
    height, width = patch
    if len(shape) == 4:
        return f"{shape[3] * width}x{shape[2] * height}"
    tokens = shape[-2]
    side = next(
        (root for more in _EXTRA_TOKENS if (root := math.isqrt(max(tokens - more, 0))) ** 2 == tokens - more), 0
    )
    return f"{side * width}x{side * height}" if side else ""


def _patch_size(model: ir.Model) -> tuple[int, int] | None:
    """Return height and width of the image patches: kernel and strides of the first Conv, which must be equal."""
    pictures = set(model.graph.inputs)
    for node in model.graph:
        if node.op_type == "Conv" and node.inputs[0] in pictures:
            kernel, strides = (node.attributes.get(name) for name in ("kernel_shape", "strides"))
            if kernel is not None and strides is not None and kernel.as_ints() == strides.as_ints():
                height, width = strides.as_ints()
                return height, width
    return None
