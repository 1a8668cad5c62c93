"""Chains of operators, since engines fuse and fold adjacent operators and change their layout."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import onnx
import onnxruntime
from msgspec import Struct
from numpy.typing import NDArray
from onnx import helper, numpy_helper

from benchmarks.random_models.single_operator import RandomChoices

Array = NDArray[Any]


class OperatorChain(Struct, frozen=True):
    """Nodes in order, with feeds and initializers; values that no node reads are the outputs."""

    op: str
    nodes: Sequence[onnx.NodeProto]
    fed: dict[str, Array]
    stored: dict[str, Array]
    results: dict[str, Array]
    """The nodes' outputs when the chain was generated, by name."""
    opset: int

    @property
    def what(self) -> str:
        """The inputs and the nodes, on one line."""
        inputs = ", ".join(_told(name, array) for name, array in self.fed.items())
        return f"opset {self.opset} ({inputs}) {' ; '.join(self._line(node) for node in self.nodes)}"

    def _line(self, node: onnx.NodeProto) -> str:
        read = ", ".join(_told(name, self.stored[name]) if name in self.stored else name for name in node.input)
        told = {each.name: helper.get_attribute_value(each) for each in node.attribute}
        return f"{node.op_type}({read}){told or ''} -> {', '.join(node.output)}"

    def feeds(self) -> dict[str, Array]:
        """Return the feeds by name."""
        return self.fed

    def model(self) -> bytes:
        """Return the model, serialized."""
        read = {name for node in self.nodes for name in node.input}
        ends = [name for node in self.nodes for name in node.output if name and name not in read]
        inputs = [_declared(name, array) for name, array in self.fed.items()]
        held = [numpy_helper.from_array(array, name) for name, array in self.stored.items() if name in read]
        graph = helper.make_graph(
            list(self.nodes), "chain", inputs, [_declared(name, self.results[name]) for name in ends], held
        )
        return _model(graph, self.opset).SerializeToString()

    def part(self, first: int, last: int) -> OperatorChain:
        """Return the nodes from `first` up to `last`, with the outputs of earlier nodes as feeds."""
        nodes = self.nodes[first:last]
        made = {name for node in nodes for name in node.output}
        known = {**self.results, **self.fed}
        fed = {name: known[name] for node in nodes for name in node.input if name in known and name not in made}
        return OperatorChain(self.op, nodes, fed, self.stored, self.results, self.opset)


def _told(name: str, array: Array) -> str:
    values = f"={array.tolist()}" if array.size < 9 and array.dtype.kind in "iub" else ""
    return f"{name}:{array.dtype}{list(array.shape)}{values}"


def _declared(name: str, array: Array) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)


def _model(graph: onnx.GraphProto, opset: int) -> onnx.ModelProto:
    opsets = [helper.make_opsetid("", opset), helper.make_opsetid("com.microsoft", 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=10)


class RefusedError(Exception):
    """ONNX Runtime refuses a node; the chain ends before it."""


class ChainBuilder:
    """Builds a chain. Every added node is computed at once, so that the next one can fit its output."""

    def __init__(self, dice: RandomChoices, opset: int = 17) -> None:
        self.dice = dice
        self.opset = opset
        self.nodes: list[onnx.NodeProto] = []
        self._fed: dict[str, Array] = {}
        self._stored: dict[str, Array] = {}
        self._results: dict[str, Array] = {}

    def feed(self, array: Array) -> str:
        """Add an input."""
        name = f"x{len(self._fed)}"
        self._fed[name] = array
        return name

    def initializer(self, array: Any, dtype: Any = None) -> str:
        """Add an initializer."""
        name = f"w{len(self._stored)}"
        self._stored[name] = np.asarray(array, dtype)
        return name

    def ints(self, *values: int) -> str:
        """Add a vector of int64."""
        return self.initializer(values, np.int64)

    def at(self, name: str) -> Array:
        """Return the values of a tensor."""
        return next(each[name] for each in (self._fed, self._stored, self._results) if name in each)

    def node(self, op: str, *inputs: str, domain: str = "", **attributes: Any) -> str:
        """Add a node with one output."""
        return self.nodes_of(op, *inputs, outputs=1, domain=domain, **attributes)[0]

    def nodes_of(self, op: str, *inputs: str, outputs: int, domain: str = "", **attributes: Any) -> list[str]:
        """Add a node with several outputs."""
        number = len(self.nodes)
        names = [f"t{number}" if outputs == 1 else f"t{number}.{index}" for index in range(outputs)]
        node = helper.make_node(op, inputs, names, name=f"n{number}", domain=domain, **attributes)
        arrays = {name: self.at(name) for name in inputs if name}
        self._results |= zip(names, _computed(node, arrays, self.opset), strict=True)
        self.nodes.append(node)
        return names

    def build(self, kind: str) -> OperatorChain:
        """Return the chain."""
        return OperatorChain(kind, self.nodes, self._fed, self._stored, self._results, self.opset)


def _computed(node: onnx.NodeProto, arrays: dict[str, Array], opset: int) -> list[Array]:
    graph = helper.make_graph(
        [node],
        "node",
        [_declared(name, array) for name, array in arrays.items()],
        [helper.make_empty_tensor_value_info(name) for name in node.output],
    )
    model = onnx.shape_inference.infer_shapes(_model(graph, opset))
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    try:
        session = onnxruntime.InferenceSession(model.SerializeToString(), options, ["CPUExecutionProvider"])
        computed: list[Array] = session.run(list(node.output), arrays)
    except Exception as error:
        raise RefusedError(f"{node.op_type}: {error}") from error
    return computed


CHAINS: dict[str, tuple[Callable[[ChainBuilder], object], int]] = {}
"""Functions that build a chain, by name, with their weights."""


def chain(weight: int = 1) -> Callable[[Callable[[ChainBuilder], object]], Callable[[ChainBuilder], object]]:
    """Register a function that builds a chain."""

    def register(function: Callable[[ChainBuilder], object]) -> Callable[[ChainBuilder], object]:
        CHAINS[function.__name__] = function, weight
        return function

    return register


def make_chain(seed: int, only: str = "") -> OperatorChain:
    """Return the chain of a seed; `only` is a kind, by the name of its function."""
    import benchmarks.random_models.conv_chains
    import benchmarks.random_models.matmul_chains
    import benchmarks.random_models.random_walks  # noqa: F401

    dice = RandomChoices(seed)
    names = [name for name, (_, weight) in sorted(CHAINS.items()) for _ in range(weight) if only in ("", name)]
    kind = dice.some(*names)
    links = ChainBuilder(dice, dice.some(13, 17, 17, 18, 21))
    with contextlib.suppress(RefusedError):
        CHAINS[kind][0](links)
    if not links.nodes:
        raise RefusedError(f"{kind}: nothing was drawn")
    return links.build(kind)
