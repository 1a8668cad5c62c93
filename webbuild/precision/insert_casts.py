"""Converts selected nodes of a graph to float16, with a Cast wherever a value crosses between float16 and float32."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
import onnx_ir as ir

from webbuild.inspection.graph import captured_values
from webbuild.model.unused_name import unused_name
from webbuild.passes.rewrite import is_read
from webbuild.precision.castable_io import is_float32, reads_only_shape
from webbuild.precision.constant_overflow import float32_array, is_stored_constant, to_float16
from webbuild.precision.mask_constants import COMPARING_OPS, clamp_to_fp16
from webbuild.targets.castable_indices import CastableIO

_MIN_STORED_SIZE = 1024
"""Minimum bytes of a weight that is stored as float16 although its node computes in float32."""


class CastInserter:
    """Converts a graph in place. Casts are shared: a value is cast once in each direction.

    Args:
        graph: a graph with unique node names and typed values.
        chosen: the inputs and outputs that become float16, by node.
        stored: whether weights of the other nodes are stored as float16, and cast when read.
        exact: whether that applies only to weights that float16 represents exactly.
        float32_weights: names of nodes with weights that stay float32.
    """

    def __init__(
        self,
        graph: ir.Graph,
        chosen: dict[ir.Node, CastableIO],
        *,
        stored: bool,
        exact: bool = False,
        float32_weights: Collection[str] = (),
    ) -> None:
        self._graph, self._chosen, self._stored, self._exact = graph, chosen, stored, exact
        self._float32_weights = float32_weights
        self._taken = {value.name or "" for node in graph for value in node.outputs}
        self._taken |= {node.name or "" for node in graph} | set(graph.initializers)
        self._taken |= {value.name or "" for value in graph.inputs}
        self._first = next(iter(graph), None)
        self._casts: dict[tuple[ir.Value, ir.DataType], ir.Value] = {}
        self._copies: dict[tuple[ir.Value, bool], ir.Value] = {}
        self._halves: set[ir.Value] = set()
        self.casts = 0
        """Number of Casts of computed values: these run in every run."""

    def run(self) -> None:
        """Convert the graph."""
        inner = {value for node in self._graph for value in captured_values(node)}
        self._halves = {node.outputs[index] for node, castable in self._chosen.items() for index in castable.outputs}
        outer = self._halves & set(self._graph.outputs)
        for node in list(self._graph):
            taken = self._chosen[node].inputs if node in self._chosen else frozenset[int]()
            for index, value in enumerate(node.inputs):
                if value is not None and is_float32(value) and not reads_only_shape(node):
                    self._connect(node, index, value, index in taken)
        for value in inner & self._halves:
            self._cast_for_subgraphs(value)
        for value in outer:
            self._connect_output(value)
        for value in self._halves:
            value.type = ir.TensorType(ir.DataType.FLOAT16)
        self._remove_unused()

    def _connect(self, node: ir.Node, index: int, value: ir.Value, wanted: bool) -> None:
        """Connect an input of a node to a value: in float16 if `wanted`, else in float32."""
        if is_stored_constant(value):
            if wanted:
                node.replace_input_with(index, self._copy(value, node.op_type in COMPARING_OPS))
            elif self._is_rounded(node) and stored_size(node, value):
                node.replace_input_with(index, self._float32_of(value))
        elif wanted and value not in self._halves:
            node.replace_input_with(index, self._cast(value, ir.DataType.FLOAT16))
        elif not wanted and value in self._halves:
            node.replace_input_with(index, self._cast(value, ir.DataType.FLOAT))

    def _is_rounded(self, node: ir.Node) -> bool:
        """Whether the weights of a float32 node are stored as float16."""
        return self._stored and node.name not in self._float32_weights

    def _cast_for_subgraphs(self, value: ir.Value) -> None:
        """Cast a value to float32 for the subgraphs that read it: subgraphs stay float32."""
        for use in list(value.uses()):
            if use.node.graph is not self._graph:
                use.node.replace_input_with(use.idx, self._cast(value, ir.DataType.FLOAT))

    def _connect_output(self, value: ir.Value) -> None:
        """Replace an output of the graph by its float32 Cast, under the same name."""
        output_cast = self._cast(value, ir.DataType.FLOAT)
        name = value.name
        value.name = self._name(f"{name}/inside")
        output_cast.name = name
        for index, output in enumerate(self._graph.outputs):
            if output is value:
                self._graph.outputs[index] = output_cast

    def _cast(self, value: ir.Value, to: ir.DataType) -> ir.Value:
        if (value, to) not in self._casts:
            self._casts[value, to] = self._new_cast(value, to)
        return self._casts[value, to]

    def _new_cast(self, value: ir.Value, to: ir.DataType) -> ir.Value:
        """Add a Cast after the producer of a value. The Cast of a lossless Cast reads its input directly."""
        maker = value.producer()
        source = value
        if maker is not None and maker.op_type == "Cast" and maker.inputs[0] is not None:
            cast_input = maker.inputs[0]
            if cast_input.dtype is to:
                return cast_input
            if cast_input.dtype is ir.DataType.BOOL:
                source = cast_input
        name = self._name(f"{value.name}/{'half' if to is ir.DataType.FLOAT16 else 'float'}")
        cast = ir.node("Cast", [source], attributes={"to": int(to)}, name=name)
        (output,) = cast.outputs
        output.name, output.shape, output.type = name, value.shape, ir.TensorType(to)
        if maker is not None and maker.graph is self._graph:
            self._graph.insert_after(maker, cast)
        elif self._first is not None:
            self._graph.insert_before(self._first, cast)
        self.casts += not is_stored_constant(source)
        return output

    def _copy(self, value: ir.Value, limits: bool) -> ir.Value:
        """Return a float16 copy of a constant; `limits` clamps it to the range of float16."""
        if (value, limits) not in self._copies:
            array = float32_array(value)
            assert array is not None
            self._copies[value, limits] = self._constant(value, to_float16(clamp_to_fp16(array) if limits else array))
        return self._copies[value, limits]

    def _float32_of(self, value: ir.Value) -> ir.Value:
        """Return a weight stored as float16 and cast to float32; unchanged if float16 would change it too much."""
        array = float32_array(value)
        if array is None or not (_is_float16(array) if self._exact else _is_storable(array)):
            return value
        return self._cast(self._copy(value, False), ir.DataType.FLOAT)

    def _constant(self, value: ir.Value, array: np.ndarray[tuple[int, ...], np.dtype[np.float16]]) -> ir.Value:
        name = self._name(f"{value.name}/half")
        tensor = ir.tensor(array, name=name)
        constant = ir.Value(
            name=name, const_value=tensor, type=ir.TensorType(tensor.dtype), shape=ir.Shape(array.shape)
        )
        self._graph.register_initializer(constant)
        return constant

    def _name(self, base: str) -> str:
        name = unused_name(self._taken, base)
        self._taken.add(name)
        return name

    def _remove_unused(self) -> None:
        """Remove unused nodes and initializers: constants with a float16 copy, bypassed Casts."""
        for node in reversed(list(self._graph)):
            if node.op_type in ("Cast", "Constant") and not any(is_read(value) for value in node.outputs):
                self._graph.remove(node, safe=True)
        for name, value in list(self._graph.initializers.items()):
            if not is_read(value) and not value.is_graph_input():
                del self._graph.initializers[name]


def stored_size(node: ir.Node, value: ir.Value | None) -> int:
    """Return the bytes of a weight that may be stored as float16 although its node reads float32, 0 for others."""
    if value is None or not is_float32(value) or reads_only_shape(node) or not is_stored_constant(value):
        return 0
    size = value.const_value.nbytes if value.const_value else 0
    return size if size >= _MIN_STORED_SIZE else 0


def _is_float16(array: np.ndarray[tuple[int, ...], np.dtype[np.float32]]) -> bool:
    return np.array_equal(to_float16(array).astype(np.float32), array)


def _is_storable(array: np.ndarray[tuple[int, ...], np.dtype[np.float32]]) -> bool:
    from webbuild.precision.constant_overflow import overflow_reason

    return not overflow_reason(array)


def select_nodes(
    graph: ir.Graph, castable: dict[ir.Node, CastableIO], fp32_nodes: Collection[str]
) -> dict[ir.Node, CastableIO]:
    """Return the nodes that become float16: castable and not in `fp32_nodes`."""
    return {node: castable[node] for node in graph if node in castable and node.name not in fp32_nodes}
