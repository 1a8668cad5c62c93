"""Check of the target shapes of Reshape, Squeeze and Expand against their input shapes."""

from __future__ import annotations

import math

import onnx_ir as ir

from webbuild.errors import WebbuildError
from webbuild.inspection.graph import node_label
from webbuild.inspection.kernels import STANDARD_DOMAINS
from webbuild.passes.rewrite import constant, is_read, static_shape


def check_reshapes(model: ir.Model) -> None:
    """Raise if a node of the main graph fails for any data.

    Shapes must be inferred. Nodes in branches are skipped: exporters write a Squeeze into a branch that is taken only
    if the shape fits.

    Raises:
        WebbuildError: `reshape-mismatch`, with the node and the sizes.
    """
    for node in model.graph:
        if (reason := find_mismatch(node)) is not None:
            raise WebbuildError("reshape-mismatch", f"{node_label(node)}: {reason}", FIX)


FIX = "give the --dim sizes that the model was exported for, or export it again for these"


def find_mismatch(node: ir.Node) -> str | None:
    """Return why a node cannot run on its input shape; None if it can, or if that is unknown."""
    sizes = static_shape(node.inputs[0]) if node.inputs else None
    if sizes is None or node.domain not in STANDARD_DOMAINS or not any(map(is_read, node.outputs)):
        return None
    match node.op_type:
        case "Reshape":
            return _reshape(sizes, _numbers(node), keeps_zero=node.attributes.get_int("allowzero", 0) == 1)
        case "Squeeze":
            axes = _numbers(node) if len(node.inputs) > 1 else list(node.attributes.get_ints("axes", []))
            return _squeeze(sizes, axes)
        case "Expand":
            return _expand(sizes, _numbers(node))
    return None


def _reshape(sizes: list[int], target_sizes: list[int] | None, *, keeps_zero: bool) -> str | None:
    if target_sizes is None:
        return None
    if not keeps_zero and any(size == 0 and axis >= len(sizes) for axis, size in enumerate(target_sizes)):
        return f"{target_sizes} copies an axis that {sizes} does not have"
    target = [sizes[axis] if size == 0 and not keeps_zero else size for axis, size in enumerate(target_sizes)]
    count, fixed = math.prod(sizes), math.prod(size for size in target if size != -1)
    fits = count == fixed if -1 not in target else fixed != 0 and count % fixed == 0
    if fits or (fixed == 0 and count == 0):
        return None
    available = f"{fixed:,}" if -1 not in target else f"a multiple of {fixed:,}"
    return f"{sizes} has {count:,} elements, {target_sizes} needs {available}"


def _squeeze(sizes: list[int], axes: list[int] | None) -> str | None:
    for axis in axes or []:
        if not -len(sizes) <= axis < len(sizes):
            return f"it removes axis {axis}, but {sizes} has {len(sizes)} axes"
        if sizes[axis] != 1:
            return f"it removes axis {axis} of {sizes}, which has size {sizes[axis]}, not 1"
    return None


def _expand(sizes: list[int], target_sizes: list[int] | None) -> str | None:
    pairs = zip(reversed(sizes), reversed(target_sizes or []), strict=False)
    if any(size != target and 1 not in (size, target) for size, target in pairs):
        return f"{sizes} cannot be expanded to {target_sizes}: sizes differ, and neither is 1"
    return None


def _numbers(node: ir.Node) -> list[int] | None:
    """Return the second input as integers, None if it is computed."""
    values = constant(node.inputs[1]) if len(node.inputs) > 1 else None
    if values is None or values.ndim > 1 or values.dtype.kind not in "iu":
        return None
    return [int(value) for value in values.ravel()]
