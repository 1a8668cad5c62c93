"""Extraction of pieces of a graph into one model: each piece takes the reference's values and outputs its own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import onnx
from msgspec import Struct
from numpy.typing import NDArray

from webbuild.subgraph.graph import ModelGraph, subgraphs

MAX_COPIES = 6
"""Maximum number of overlapping pieces in a model."""

Subgraph = tuple[int, ...]
"""Indices of nodes, in order."""


class ExtractedModel(Struct, frozen=True):
    """A model of pieces. `feeds` maps its inputs to values of the graph; `outputs` maps its outputs, by piece."""

    model: onnx.ModelProto
    feeds: dict[str, str]
    outputs: tuple[dict[str, str], ...]


def extracted_name(index: int, copy: int = 0) -> str:
    """Return the name of a node in an extracted model, from its index in the graph; copies get different names."""
    return f"n{index}_{copy}" if copy else f"n{index}"


def subgraph_inputs(graph: ModelGraph, piece: Subgraph) -> list[str]:
    """Return the values that a piece reads and does not compute, without constants."""
    computed = {name for index in piece for name in graph.nodes[index].output}
    names = dict.fromkeys(name for index in piece for name in graph.reads[index])
    return [name for name in names if name not in computed and not graph.is_constant(name)]


def computed_values(graph: ModelGraph, piece: Subgraph) -> list[str]:
    """Return all values that a piece computes and that can be session outputs."""
    return [name for index in piece for name in graph.nodes[index].output if name and graph.can_be_boundary(name)]


def subgraph_outputs(graph: ModelGraph, piece: Subgraph) -> list[str]:
    """Return the values of a piece that other nodes read or the graph outputs; without any, its last node's outputs."""
    members, computed = set(piece), computed_values(graph, piece)
    read = [
        name
        for name in computed
        if name in graph.outputs or any(reader not in members for reader in graph.consumers.get(name, ()))
    ]
    return read or [name for name in computed if name in graph.nodes[piece[-1]].output]


def values_to_read(graph: ModelGraph, piece: Subgraph, also: Sequence[str] = ()) -> list[str]:
    """Return the values of a piece to read: its outputs, and the values of `also` that it computes."""
    inner = set(computed_values(graph, piece)) if also else set[str]()
    return list(dict.fromkeys((*subgraph_outputs(graph, piece), *(name for name in also if name in inner))))


def extract_subgraphs(
    graph: ModelGraph, pieces: Sequence[Subgraph], values: Mapping[str, NDArray[Any]], *, also: Sequence[str] = ()
) -> ExtractedModel:
    """Extract pieces into one model in which no piece reads another's values.

    Values that depend on no input become constants, because the engine folds them when it creates the whole session.

    Args:
        graph: the graph.
        pieces: the pieces; they may overlap.
        values: the reference's values, of all inputs of the pieces (`subgraph_inputs`).
        also: values inside the pieces that become outputs too, which keeps the engine from fusing nodes there.
    """
    model = onnx.ModelProto()
    model.ir_version = graph.model.ir_version
    model.opset_import.extend(graph.model.opset_import)
    model.functions.extend(graph.model.functions)
    model.graph.name = "cut"
    feeds: dict[str, str] = {}
    reads: list[dict[str, str]] = []
    constants: set[str] = set()
    seen: Counter[int] = Counter()
    for number, piece in enumerate(pieces):
        called = {name: f"p{number}/{name}" for index in piece for name in graph.nodes[index].output if name}
        for name in subgraph_inputs(graph, piece):
            called[name] = f"p{number}/{name}"
            if name in graph.static_values:
                tensor = onnx.numpy_helper.from_array(values[name], called[name])
                model.graph.initializer.append(tensor)
            else:
                feeds[called[name]] = name
                model.graph.input.append(_input(graph, called[name], name, values[name]))
        for index in piece:
            constants.update(name for name in graph.reads[index] if graph.is_constant(name))
            model.graph.node.append(rename_node(graph.nodes[index], called, extracted_name(index, seen[index])))
            seen[index] += 1
        read = {called[name]: name for name in values_to_read(graph, piece, also)}
        model.graph.output.extend(onnx.ValueInfoProto(name=name) for name in read)
        reads.append(read)
    _add_constants(graph, model, constants)
    return ExtractedModel(model, feeds, tuple(reads))


def extract_outputs(graph: ModelGraph, names: Sequence[str]) -> onnx.ModelProto:
    """Return the part of the graph that computes these values from the graph's inputs, with the values as outputs."""
    needed: set[int] = set()
    for name in names:
        needed |= {graph.producer[name], *graph.ancestors(graph.producer[name])}
    model = onnx.ModelProto()
    model.ir_version = graph.model.ir_version
    model.opset_import.extend(graph.model.opset_import)
    model.functions.extend(graph.model.functions)
    model.graph.name = "whole"
    model.graph.input.extend(value for value in graph.model.graph.input if value.name in graph.inputs)
    model.graph.node.extend(rename_node(graph.nodes[index], {}, extracted_name(index)) for index in sorted(needed))
    model.graph.output.extend(onnx.ValueInfoProto(name=name) for name in names)
    read = {name for index in needed for name in graph.reads[index] if graph.is_constant(name)}
    _add_constants(graph, model, read)
    return model


def _add_constants(graph: ModelGraph, model: onnx.ModelProto, names: set[str]) -> None:
    nodes = []
    for name in sorted(names):
        if name in graph.initializers:
            model.graph.initializer.append(graph.initializers[name])
        else:
            nodes.append(graph.constants[name])
    if nodes:
        rest = list(model.graph.node)
        del model.graph.node[:]
        model.graph.node.extend([*nodes, *rest])


def _input(graph: ModelGraph, name: str, value: str, array: NDArray[Any]) -> onnx.ValueInfoProto:
    """Declare an input as in the whole graph: free sizes stay free."""
    dims = graph.dims(value)
    sizes = list(dims) if dims is not None and len(dims) == array.ndim else [None] * array.ndim
    kind = onnx.helper.np_dtype_to_tensor_dtype(array.dtype)
    return onnx.helper.make_tensor_value_info(name, kind, sizes)


def rename_node(node: onnx.NodeProto, names: Mapping[str, str], title: str) -> onnx.NodeProto:
    """Return a copy of a node with the name `title`, and with its inputs and outputs renamed."""
    copy = onnx.NodeProto()
    copy.CopyFrom(node)
    copy.name = title
    copy.output[:] = [names.get(name, name) for name in node.output]
    _rename_reads(copy, names)
    return copy


def _rename_reads(node: onnx.NodeProto, names: Mapping[str, str]) -> None:
    node.input[:] = [names.get(name, name) for name in node.input]
    for graph in subgraphs(node):
        local_names = {*(value.name for value in graph.input), *(tensor.name for tensor in graph.initializer)}
        local_names.update(name for inner in graph.node for name in inner.output)
        outer = {name: new for name, new in names.items() if name not in local_names}
        for inner in graph.node:
            _rename_reads(inner, outer)
        for output in graph.output:
            output.name = outer.get(output.name, output.name)
