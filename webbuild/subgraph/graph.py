"""Index of a graph for extraction: nodes in order, producers, consumers, and the values between them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from math import prod

import onnx

from webbuild.errors import USAGE, WebbuildError
from webbuild.subgraph.feedable_types import FEEDABLE_TYPES

_UNKNOWN_BYTES = 1 << 20
"""Assumed bytes of a value with an unknown shape."""
_SEQUENCE_OPS = ("Sequence", "SplitToSequence", "Optional", "Loop", "If", "Scan")
"""Prefixes of operators with results that may not be tensors."""
_MOVING_OPS = ("Reshape", "Transpose", "Squeeze", "Unsqueeze", "Identity", "Flatten", "Slice", "Gather", "Expand",
               "Split", "Concat", "MaxPool", "Relu", "DepthToSpace", "SpaceToDepth")  # fmt: skip
"""Operators with outputs that only contain elements of their first input."""
_SHAPE_OPS = ("Shape", "Size")
"""Operators that the engine folds when it creates the session, if the shape is known."""


class ModelGraph:
    """The main graph of a model with embedded weights. Nodes have indices; `Constant` nodes are not counted.

    Args:
        model: the model, with shapes and types inferred as far as possible.
        outputs: names of outputs; nodes that none of them needs are left out. All outputs if empty.

    Raises:
        WebbuildError: `unknown-output`.
    """

    def __init__(self, model: onnx.ModelProto, outputs: Sequence[str] = ()) -> None:
        self.model = model
        known = [value.name for value in model.graph.output]
        if unknown := [name for name in outputs if name not in known]:
            raise WebbuildError(
                "unknown-output",
                f"the model has no output '{unknown[0]}'",
                f"use one of: {', '.join(known)}",
                exit_code=USAGE,
            )
        self.initializers = {tensor.name: tensor for tensor in model.graph.initializer}
        self.constants = {name: node for node in model.graph.node if node.op_type == "Constant" for name in node.output}
        nodes = [node for node in model.graph.node if node.op_type != "Constant"]
        wanted = list(outputs or known)
        self.nodes = nodes if not outputs else _needed(nodes, wanted)
        self.outputs = [name for name in wanted if name in self.producer]
        self.inputs = [value.name for value in model.graph.input if value.name not in self.initializers]

    @cached_property
    def producer(self) -> Mapping[str, int]:
        """The index of the node that computes a value."""
        return {name: index for index, node in enumerate(self.nodes) for name in node.output if name}

    @cached_property
    def reads(self) -> Sequence[Sequence[str]]:
        """For each node, the values that it and its subgraphs read, each once, including constants."""
        return [list(dict.fromkeys(_inputs_read(node))) for node in self.nodes]

    @cached_property
    def consumers(self) -> Mapping[str, Sequence[int]]:
        """The indices of the nodes that read a value."""
        by_value: dict[str, list[int]] = {}
        for index, names in enumerate(self.reads):
            for name in names:
                by_value.setdefault(name, []).append(index)
        return by_value

    @cached_property
    def static_values(self) -> frozenset[str]:
        """Values that depend on no input: the engine folds them when it creates the session."""
        static: set[str] = set()
        for node, names in zip(self.nodes, self.reads, strict=True):
            measured = node.op_type in _SHAPE_OPS and self.sizes(node.input[0]) is not None
            if measured or (names and all(self.is_constant(name) or name in static for name in names)):
                static.update(filter(None, node.output))
        return frozenset(static)

    @cached_property
    def quantized_values(self) -> frozenset[str]:
        """Outputs of QuantizeLinear nodes, also after operators that only move elements."""
        quantized: set[str] = set()
        for node in self.nodes:
            if node.op_type == "QuantizeLinear" or (node.op_type in _MOVING_OPS and node.input[0] in quantized):
                quantized.update(filter(None, node.output))
        return frozenset(quantized)

    def is_constant(self, name: str) -> bool:
        """Whether a value is stored in the model file."""
        return name in self.initializers or name in self.constants

    @cached_property
    def _declared(self) -> Mapping[str, onnx.TypeProto]:
        graph = self.model.graph
        return {value.name: value.type for value in (*graph.value_info, *graph.output, *graph.input)}

    def sizes(self, name: str) -> tuple[int, ...] | None:
        """Return the shape of a value if it is known before a run, None if a size is free."""
        dims = self.dims(name)
        return None if dims is None or None in dims else tuple(dim for dim in dims if dim is not None)

    def dims(self, name: str) -> tuple[int | None, ...] | None:
        """Return the sizes of a value, with None for a free size; None if the rank is unknown."""
        if name in self.initializers:
            return tuple(self.initializers[name].dims)
        kind = self._declared.get(name)
        if kind is None or not kind.tensor_type.HasField("shape"):
            return None
        return tuple(dim.dim_value if dim.HasField("dim_value") else None for dim in kind.tensor_type.shape.dim)

    def bytes(self, name: str) -> int:
        """Return the approximate number of bytes of a value."""
        sizes, kind = self.sizes(name), self._declared.get(name)
        element = 4 if kind is None else FEEDABLE_TYPES.get(kind.tensor_type.elem_type, 4)
        return _UNKNOWN_BYTES if sizes is None else prod(sizes) * element

    def dtype(self, name: str) -> str:
        """Return NumPy's name of a value's element type, empty if it is unknown."""
        kind = self._declared.get(name)
        number = kind.tensor_type.elem_type if kind is not None else 0
        if name in self.initializers:
            number = self.initializers[name].data_type
        return str(onnx.helper.tensor_dtype_to_np_dtype(number)) if number else ""

    @cached_property
    def computes_float16(self) -> bool:
        """Whether a node outputs float16."""
        return any(self.dtype(name) == "float16" for name in self.producer)

    def can_be_boundary(self, name: str) -> bool:
        """Whether a value can be a session's output and another's input: a tensor of numbers or booleans."""
        kind = self._declared.get(name)
        if kind is None or kind.WhichOneof("value") is None:
            node = self.nodes[self.producer[name]] if name in self.producer else None
            return node is None or not node.op_type.startswith(_SEQUENCE_OPS)
        return kind.HasField("tensor_type") and kind.tensor_type.elem_type in (0, *FEEDABLE_TYPES)

    def label(self, index: int) -> str:
        """Return a readable name of a node: its operator, and its name or else its first output's name."""
        node = self.nodes[index]
        domain = f"{node.domain}:" if node.domain not in ("", "ai.onnx") else ""
        return f"{domain}{node.op_type} '{node.name or next(filter(None, node.output), '')}'"

    def ancestors(self, index: int) -> set[int]:
        """Return the indices of all nodes that a node depends on."""
        reached: set[int] = set()
        waiting = [index]
        while waiting:
            for name in self.reads[waiting.pop()]:
                maker = self.producer.get(name)
                if maker is not None and maker not in reached:
                    reached.add(maker)
                    waiting.append(maker)
        return reached


def subgraphs(node: onnx.NodeProto) -> Iterator[onnx.GraphProto]:
    """Yield the subgraphs of a node."""
    for attribute in node.attribute:
        if attribute.type in (attribute.GRAPH, attribute.GRAPHS):
            yield from (attribute.g,) if attribute.type == attribute.GRAPH else attribute.graphs


def _inputs_read(node: onnx.NodeProto) -> Iterator[str]:
    yield from filter(None, node.input)
    for graph in subgraphs(node):
        local_names = {*(value.name for value in graph.input), *(tensor.name for tensor in graph.initializer)}
        local_names.update(name for inner in graph.node for name in inner.output)
        inside = (name for inner in graph.node for name in _inputs_read(inner))
        yield from (name for name in (*inside, *(value.name for value in graph.output)) if name not in local_names)


def _needed(nodes: Sequence[onnx.NodeProto], wanted: Iterable[str]) -> list[onnx.NodeProto]:
    names, needed = set(wanted), []
    for node in reversed(nodes):
        if names.intersection(node.output):
            needed.append(node)
            names.update(_inputs_read(node))
    return needed[::-1]
