"""Receptive field of an output image, computed from the graph; or the node that reads the whole image."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import onnx_ir as ir
from msgspec import Struct

from webbuild.passes.analysis.reach import Bound, UnknownReachError, period, varies
from webbuild.passes.analysis.reach_rules import POINTWISE_OPS, SIZE_OPS, rule_of
from webbuild.passes.analysis.reach_windows import rounds_places
from webbuild.passes.rewrite import constant, static_shape

_BROADCASTING_OPS = POINTWISE_OPS | {"Concat", "MatMul", "MatMulInteger", "QLinearMatMul"}
"""Operators whose constants may differ from position to position."""


class ReceptiveField(Struct, frozen=True):
    """Receptive field of an output pixel, in pixels of the input image.

    Attributes:
        halo: the largest distance of an input pixel that it depends on, in any direction.
        multiple: shifting the image by a multiple of this shifts the output and changes nothing else.
        scale: output pixels per input pixel, along each side.
        rounded: a node whose sampling positions are rounded differently at each position, so that a shifted output
            differs in its last bits; empty if there is none.
    """

    halo: int
    multiple: int
    scale: int
    rounded: str = ""


class GlobalContext(Struct, frozen=True):
    """The first node that makes an output pixel depend on the whole image, or on its position in the image.

    `reason` is the rest of a sentence that starts with the node's name.
    """

    node: str
    reason: str

    def __str__(self) -> str:
        return f"{self.node} {self.reason}"


Bounds = Sequence[Bound]
"""Four bounds of a value: first row, minus last row, first column, minus last column; see `reach`."""


def receptive_field(
    graph: ir.Graph, pictures: Mapping[str, tuple[int, int]], output: str, output_axes: tuple[int, int]
) -> ReceptiveField | GlobalContext:
    """Return the receptive field of an output in the input image.

    Args:
        graph: the graph, with static shapes and folded shape computations.
        pictures: (row axis, column axis) of the image input by name, and of a mask of the same size if there is one.
        output: name of the output.
        output_axes: (row axis, column axis) of the output.
    """
    starts = {next(each for each in graph.inputs if each.name == name): pair for name, pair in pictures.items()}
    start, axes = next(iter(starts.items()))
    end = next(value for value in graph.outputs if value.name == output)
    known: dict[ir.Value, Bounds] = {value: _identity(value, pair) for value, pair in starts.items()}
    multiple, rounded = 1, ""
    for node in graph:
        if not any(value in known for value in node.inputs) or node.op_type in SIZE_OPS:
            continue
        try:
            output_bounds = _outputs(node, known)
        except UnknownReachError as error:
            return GlobalContext(_name(node), str(error))
        for value, bounds in zip(node.outputs, output_bounds, strict=False):
            known[value] = bounds
            multiple = math.lcm(multiple, *_shifts(bounds))
        rounded = rounded or (_name(node) if rounds_places(node) else "")
    if end not in known:
        return GlobalContext(f"the output '{output}'", "does not depend on the picture")
    return _field_between(start, end, known[end], axes, output_axes, multiple, rounded)


def _name(node: ir.Node) -> str:
    return f"{node.op_type} '{node.name or node.outputs[0].name}'"


def _identity(start: ir.Value, axes: tuple[int, int]) -> Bounds:
    shape = static_shape(start) or []
    bounds: list[Bound] = []
    for axis in axes:
        at = np.arange(shape[axis]).reshape([-1 if each == axis else 1 for each in range(len(shape))])
        bounds += [at, -at]
    return bounds


def _outputs(node: ir.Node, known: Mapping[ir.Value, Bounds]) -> list[Bounds]:
    """Return the bounds of each output of a node.

    Raises:
        UnknownReachError: an output depends on the whole image, or on the position in it.
    """
    rule = rule_of(node) if node.domain in ("", "ai.onnx") else None
    if rule is None:
        raise UnknownReachError("may read the whole picture")
    input_bounds = [None if value is None else known.get(value) for value in node.inputs]
    by_bound = [rule(node, [None if each is None else each[at] for each in input_bounds]) for at in range(4)]
    outputs: list[Bounds] = [list(each) for each in zip(*by_bound, strict=True)]
    for bounds in outputs:
        for at, what in ((0, "rows"), (2, "columns")):
            if not varies(bounds[at]) or not varies(bounds[at + 1]):
                raise UnknownReachError(f"reads all {what} of the picture")
    if node.op_type in _BROADCASTING_OPS:
        _require_uniform(node, known, {axis for bound in outputs[0] for axis in varies(bound)})
    return outputs


def _require_uniform(node: ir.Node, known: Mapping[ir.Value, Bounds], axes: set[int]) -> None:
    """Check that inputs which do not depend on the image are constant along its axes.

    Raises:
        UnknownReachError: an input is not, such as position embeddings.
    """
    rank = len(node.outputs[0].shape or ())
    for index, value in enumerate(node.inputs):
        if value is None or value in known or (index > 2 and node.op_type == "QLinearMatMul"):
            continue
        shape = static_shape(value)
        array = constant(value)
        last = 2 if "MatMul" in node.op_type else 0
        for axis in axes:
            at = axis - rank + len(shape or ())
            if shape is None or (0 <= at < len(shape) - last and shape[at] > 1 and not _same(array, at)):
                raise UnknownReachError("treats positions of the picture differently")


def _same(array: np.ndarray | None, axis: int) -> bool:
    return array is not None and bool((array == array.take([0], axis)).all())


def _shifts(bounds: Bounds) -> list[int]:
    """Return, for each axis with a period, the image shift in pixels that shifts a value by whole elements."""
    periods = [period(bound, axis) for bound in bounds for axis in varies(bound)]
    return [abs(each[1]) for each in periods if each is not None and each[1]]


def _field_between(
    start: ir.Value, end: ir.Value, bounds: Bounds, axes: tuple[int, int], output_axes: tuple[int, int],
    multiple: int, rounded: str,
) -> ReceptiveField | GlobalContext:  # fmt: skip
    where = f"the output '{end.name}'"
    before, after = static_shape(start) or [], static_shape(end) or []
    if not before or not after:
        return GlobalContext(where, "has a size that is not known")
    scale, halo = after[output_axes[0]] // before[axes[0]], 0
    for at, axis, output_axis in ((0, axes[0], output_axes[0]), (2, axes[1], output_axes[1])):
        if scale < 1 or after[output_axis] != before[axis] * scale:
            return GlobalContext(where, f"is {after[output_axis]} pixels for {before[axis]} of the picture")
        pixels = np.arange(after[output_axis]) // scale
        for bound, sign in ((bounds[at], 1), (bounds[at + 1], -1)):
            shift = period(bound, output_axis) if varies(bound) == [output_axis] else None
            if shift is None or abs(shift[1]) * scale != shift[0]:
                return GlobalContext(where, "has its pixels in another order than the picture")
            halo = max(halo, int((sign * pixels - bound.ravel()).max()))
    return ReceptiveField(halo=halo, multiple=multiple, scale=scale, rounded=rounded)
