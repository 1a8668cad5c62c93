from __future__ import annotations

from collections.abc import Iterator

import onnx_ir as ir

from webbuild.model.unused_name import unused_name
from webbuild.passes.base import Pass, PassOptions, Rewrite
from webbuild.passes.graphs import graph_names


class Float16Io(Pass):
    """Changes float16 inputs and outputs of the model to float32.

        x: float16 -> f -> y: float16
        ->  x: float32 -> Cast<to = float16> -> f -> Cast<to = float32> -> y: float32

    Why: `yolo export half=True` and other float16 converters convert the inputs and outputs too. Pages have images and
    results in float32: `Float16Array` is newer than WebGPU, and no image API returns one.

    How: a Cast after each float16 input, and one before each float16 output. The graph in between does not change.

    Exact for numbers that float16 can represent.
    """

    code = "float16-io"
    after = ("canonicalize",)
    scope = "main graph"

    def apply(self, model: ir.Model, options: PassOptions) -> list[Rewrite]:
        return [self.applied(where, "is float32 instead of float16, with a Cast") for where in _casts(model.graph)]


def _casts(graph: ir.Graph) -> Iterator[str]:
    """Cast every float16 input and output that is not a weight, and yield the location of each."""
    for value in list(graph.inputs):
        if value.dtype == ir.DataType.FLOAT16 and not value.is_initializer():
            yield f"input '{value.name}'"
            _cast_input(graph, value)
    for index, value in enumerate(list(graph.outputs)):
        if value.dtype == ir.DataType.FLOAT16 and not value.is_initializer():
            yield f"output '{value.name}'"
            _cast_output(graph, index)


def _cast_input(graph: ir.Graph, value: ir.Value) -> None:
    readers = list(value.uses())
    cast = _cast(graph, value, ir.DataType.FLOAT16, f"{value.name}_float16")
    first = next(iter(graph), None)
    graph.append(cast) if first is None else graph.insert_before(first, cast)
    for use in readers:
        use.node.replace_input_with(use.idx, cast.outputs[0])
    value.type = ir.TensorType(ir.DataType.FLOAT)


def _cast_output(graph: ir.Graph, index: int) -> None:
    value = graph.outputs[index]
    name = value.name or ""
    value.name = unused_name(graph_names(graph), f"{name}_float16")
    cast = _cast(graph, value, ir.DataType.FLOAT, name)
    graph.append(cast)
    graph.outputs[index] = cast.outputs[0]


def _cast(graph: ir.Graph, value: ir.Value, to: ir.DataType, name: str) -> ir.Node:
    node_name = unused_name(graph_names(graph), f"{name}/Cast")
    node = ir.node("Cast", [value], attributes={"to": to.value}, name=node_name)
    result = node.outputs[0]
    result.name, result.shape, result.type = unused_name(graph_names(graph), name), value.shape, ir.TensorType(to)
    return node
