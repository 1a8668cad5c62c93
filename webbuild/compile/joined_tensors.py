"""Concatenated outputs: one output that holds several tensors, such as a picture and its intermediate maps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec
import onnx_ir as ir

from webbuild.manifest.inputs.picture import ImageInput
from webbuild.manifest.tasks.tensor import JoinedTensor
from webbuild.passes.rewrite import static_shape
from webbuild.tasks.registry import kind_of
from webbuild.tasks.task_match import TaskMatch

_PICTURE = 3
"""Channels of a picture."""
_SAME_PLACES = {"Identity", "Cast", "Clip", "Relu", "Sigmoid", "Tanh"}
"""Elementwise operators, which do not move elements."""


def with_joined_tensors(match: TaskMatch, graph: ir.Model) -> TaskMatch:
    """Return the match of a tensor model with a picture input, with the tensors that its outputs concatenate.

        [1, 3, h, w], [1, 1, h, w], [1, 3, h, w]  ->  Concat  ->  [1, 7, h, w]

    An output counts only if at least one of its parts has three channels, like a picture.
    """
    if not any(isinstance(each, ImageInput) for each in match.inputs):
        return match
    depths = _depths(graph.graph)
    joined = [part for output in graph.graph.outputs for part in _joined(output, depths)]
    task = kind_of(match.task).with_joined(match.task, joined)
    if not joined or task is match.task:
        return match
    names = ", ".join(f"'{name}'" for name in dict.fromkeys(part.output for part in joined))
    assumption = f"output {names} is joined from {len(joined)} tensors: the page draws each of them by its shape"
    return msgspec.structs.replace(match, task=task, assumptions=(*match.assumptions, assumption))


def _joined(output: ir.Value, depths: dict[ir.Value, int]) -> list[JoinedTensor]:
    """Return the parts of an output [1, C, h, w] or [1, h, w, C], the deepest in the graph first; else none."""
    shape = static_shape(output)
    if output.name is None or output.dtype != ir.DataType.FLOAT or shape is None or len(shape) != 4 or shape[0] != 1:
        return []
    last_concat = _last_concat(output)
    if last_concat is None or last_concat[1] not in (1, 3):
        return []
    concat, axis = last_concat
    along = concat.attributes["axis"].as_int() % 4
    sizes = [(static_shape(value) or [0] * 4)[along] for value in concat.inputs if value is not None]
    if _PICTURE not in sizes or len(sizes) < 2 or 0 in sizes:
        return []
    ends = [sum(sizes[: index + 1]) for index in range(len(sizes))]
    deep = [depths.get(value, 0) if value is not None else 0 for value in concat.inputs]
    order = sorted(range(len(sizes)), key=lambda index: -deep[index])
    return [
        JoinedTensor(output=output.name, axis=1 if axis == 1 else 3, first=ends[i] - sizes[i], end=ends[i])
        for i in order
    ]


def _last_concat(output: ir.Value) -> tuple[ir.Node, int] | None:
    """Return the Concat that produces an output, and the output axis that it concatenates."""
    axes = [0, 1, 2, 3]  # axis of the current value for each axis of the output
    value: ir.Value | None = output
    while value is not None and (node := value.producer()) is not None:
        if node.op_type == "Concat" and node.domain == "":
            return node, axes.index(node.attributes["axis"].as_int() % 4)
        if node.op_type == "Transpose":
            axes = [_permutation(node)[axis] for axis in axes]
        elif node.op_type not in _SAME_PLACES:
            return None
        value = node.inputs[0]
    return None


def _permutation(node: ir.Node) -> Sequence[int]:
    perm = node.attributes.get("perm")
    return [3, 2, 1, 0] if perm is None else perm.as_ints()


def _depths(graph: ir.Graph) -> dict[ir.Value, int]:
    """Return the depth of each value: the number of nodes on the longest path to it."""
    depths: dict[ir.Value, int] = {}
    for node in graph:
        deepest = max((depths.get(value, 0) for value in _read(node)), default=0)
        depths.update(dict.fromkeys(node.outputs, deepest + 1))
    return depths


def _read(node: ir.Node) -> Iterator[ir.Value]:
    return (value for value in node.inputs if value is not None)
