from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

import onnx_ir as ir

from webbuild.passes.analysis.channels_last import TO_CHANNELS_FIRST, TO_CHANNELS_LAST
from webbuild.passes.analysis.reshapes import after_reshapes, before_reshapes
from webbuild.passes.base import Pass, PassOptions, Rewrite
from webbuild.passes.builder import Builder
from webbuild.passes.rewrite import consumers, find_nodes, replace_output, static_shape

_PICTURES = frozenset(
    {"AveragePool", "BatchNormalization", "Conv", "ConvTranspose", "DepthToSpace", "GlobalAveragePool", "GridSample"}
    | {"InstanceNormalization", "MaxPool", "Resize"}
)
"""Operators that the engine runs channels last, between two Transposes."""
_THROUGH = frozenset(
    {"Add", "Clip", "Div", "Elu", "Erf", "Gelu", "HardSigmoid", "HardSwish", "LeakyRelu", "Mul", "Pad", "PRelu"}
    | {"Relu", "Sigmoid", "Sub", "Tanh"}
)
_FAR = 4


class ChannelsLastTokens(Pass):
    """`Transpose(Reshape(x [N, C, H, W]))` -> `Reshape(Transpose(x) [N, H, W, C])`, and the reverse for tokens.

        Reshape(x [N, C, H, W] -> [N, C, HW]) -> Transpose    ->  Transpose(x) [N, H, W, C] -> Reshape [N, HW, C]
        Transpose(x [N, HW, C]) -> Reshape [N, C, H, W]       ->  Reshape(x) [N, H, W, C] -> Transpose

    Why: the engine runs convolutions channels last, between two Transposes. A Transpose of four axes cancels with one
    of them. A Transpose of three axes does not, because a Reshape is in between.

    Limits: fixed shapes; only next to an operator that the engine runs channels last.

    Exact: the same elements.
    """

    code = "channels-last-tokens"
    target = "webgpu"
    after = ("canonicalize", "fold-constants", "fold-data-movement")

    def apply(self, model: ir.Model, options: PassOptions) -> list[Rewrite]:
        rewrites = []
        for node in find_nodes(model, "Transpose"):
            done = self._tokens_of_picture(model.graph, node) or self._picture_of_tokens(model.graph, node)
            rewrites += [] if done is None else [done]
        return rewrites

    def _tokens_of_picture(self, graph: ir.Graph, node: ir.Node) -> Rewrite | None:
        source = before_reshapes(node.inputs[0])
        shape = static_shape(source)
        if source is node.inputs[0] or shape is None or len(shape) != 4 or not _touches(source, _producers):
            return None
        if source is None or _meaning_of(node) != _meaning(shape, TO_CHANNELS_LAST):
            return None
        add = Builder(graph, node, f"{node.name or 'Transpose'}/tokens")
        moved = add.op("Transpose", source, perm=list(TO_CHANNELS_LAST))  # [N, H, W, C]
        replace_output(node, add.reshape(moved, static_shape(node.outputs[0]) or []))
        return self.applied(node, "channels go last before the Reshape to tokens")

    def _picture_of_tokens(self, graph: ir.Graph, node: ir.Node) -> Rewrite | None:
        picture = after_reshapes(node.outputs[0])
        shape, reshape = static_shape(picture), picture.producer()
        if reshape is None or reshape is node or shape is None or len(shape) != 4 or not _touches(picture, _readers):
            return None
        count, channels, height, width = shape
        last = [count, height, width, channels]
        if _meaning_of(node) != _meaning(last, TO_CHANNELS_FIRST):
            return None
        add = Builder(graph, reshape, f"{node.name or 'Transpose'}/picture")
        tokens = add.reshape(node.inputs[0], last)
        replace_output(reshape, add.op("Transpose", tokens, perm=list(TO_CHANNELS_FIRST)))
        return self.applied(node, "channels go first after the Reshape to an image")


def _meaning(shape: Sequence[int], perm: Sequence[int]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return a Transpose's sizes and permutation, without axes of size 1 and with adjacent axes merged."""
    groups: list[list[int]] = []
    for axis in perm:
        if shape[axis] == 1:
            continue
        if groups and all(shape[between] == 1 for between in range(groups[-1][-1] + 1, axis)) and axis > groups[-1][-1]:
            groups[-1].append(axis)
        else:
            groups.append([axis])
    order = sorted(groups)
    sizes = tuple(math.prod(shape[axis] for axis in group) for group in order)
    return sizes, tuple(order.index(group) for group in groups)


def _meaning_of(node: ir.Node) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    shape = static_shape(node.inputs[0])
    if shape is None or static_shape(node.outputs[0]) is None:
        return None
    return _meaning(shape, node.attributes.get_ints("perm", []) or range(len(shape))[::-1])


def _producers(value: ir.Value) -> list[ir.Node]:
    producer = value.producer()
    return [] if producer is None else [producer]


def _readers(value: ir.Value) -> list[ir.Node]:
    return consumers(value)


def _touches(value: ir.Value | None, step: Callable[[ir.Value], list[ir.Node]], far: int = _FAR) -> bool:
    """Whether an image operator is within `far` nodes, in the direction of `step`."""
    if value is None:
        return False
    nodes = step(value)
    if any(node.op_type in _PICTURES for node in nodes):
        return True
    return far > 0 and any(
        _touches(next_value, step, far - 1)
        for node in nodes
        if node.op_type in _THROUGH
        for next_value in _onward(node, step)
    )


def _onward(node: ir.Node, step: Callable[[ir.Value], list[ir.Node]]) -> Iterator[ir.Value]:
    values = node.outputs if step is _readers else node.inputs
    return (value for value in values if value is not None)
