"""Operators without a kernel, written in operators that have one."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar

import numpy as np
import onnx_ir as ir

from webbuild.passes._base import Edit, Options, Pass
from webbuild.passes._graph import Attribute, Builder, nodes_of, replace
from webbuild.passes._kernels import placement
from webbuild.targets.results import result_type


class UnfitError(Exception):
    """A node of the operator that cannot be written so; the message says why."""


class Draft(Builder):
    """A builder that knows the element types of what it adds, and can take all of it back."""

    def __init__(self, model: ir.Model, before: ir.Node) -> None:
        super().__init__(model.graph, before, f"{before.name or before.op_type}/simpler")
        self.opset = model.graph.opset_imports.get("", 0)
        self.nodes: list[ir.Node] = []
        self.counting: list[ir.Node] = []
        self._consts: list[ir.Value] = []

    def _add(
        self, op: str, inputs: Sequence[ir.Value | None], outputs: int, attributes: Mapping[str, Attribute]
    ) -> list[ir.Value]:
        made = super()._add(op, inputs, outputs, attributes)
        node = made[0].producer()
        assert node is not None
        self.nodes.append(node)
        dtype = _result_dtype(node, self.opset)
        for value in made:
            value.type = None if dtype is None else ir.TensorType(dtype)
        return made

    def const(self, array: object, dtype: object = np.float32) -> ir.Value:
        """Add an initializer."""
        value = super().const(array, dtype)  # type: ignore[arg-type]
        self._consts.append(value)
        return value

    def like(self, value: ir.Value | None, array: object) -> ir.Value:
        """Add an initializer of a value's element type."""
        assert value is not None
        assert value.dtype is not None
        return self.const(array, value.dtype.numpy())

    def counted(self, value: ir.Value) -> ir.Value:
        """Add a Cast of a few whole numbers to float32, which may run on the CPU: one small copy."""
        result = self.op("Cast", value, to=ir.DataType.FLOAT)
        self.counting.append(self.nodes[-1])
        return result

    def take_back(self) -> None:
        """Remove everything added."""
        self._graph.remove(reversed(self.nodes), safe=True)
        for value in self._consts:
            assert value.name is not None
            del self._graph.initializers[value.name]


Form = Callable[[Draft, ir.Node], ir.Value | list[ir.Value]]
"""Writes a node in others and returns what stands for its first output, or its first few. Raises UnfitError."""


class Decomposition(Pass):
    """Writes nodes in other operators where that, and only that, brings them to the GPU.

    A node is rewritten if the target's table says that it has no GPU kernel, and that every node instead has one, but
    for what a draft says to be `counted`. Only the first outputs may be read, as many as `outputs` says.
    """

    target = "webgpu"
    outputs: ClassVar[int] = 1
    after: ClassVar[tuple[str, ...]] = ("lower-opset",)

    @abstractmethod
    def forms(self) -> Mapping[str, Form]:
        """Return how to write each operator."""

    def apply(self, model: ir.Model, options: Options) -> list[Edit]:
        """Rewrite each node that gains by it."""
        edits, forms = [], self.forms()
        for node in nodes_of(model, *forms):
            if not self.concerns(model, node, options):
                continue
            if any(output.uses() or output.is_graph_output() for output in node.outputs[self.outputs :]):
                continue
            where, draft = f"{node.op_type} '{node.name}'", Draft(model, node)
            try:
                made = forms[node.op_type](draft, node)
            except UnfitError as reason:
                draft.take_back()
                edits.append(self.left(where, str(reason)))
                continue
            if any(placement(model, each, options) != "gpu" for each in draft.nodes if each not in draft.counting):
                draft.take_back()
                continue
            for output, result in zip(node.outputs, made if isinstance(made, list) else [made], strict=False):
                if output.uses() or output.is_graph_output():
                    _stand_in(output, result, draft)
            model.graph.remove(node, safe=True)
            edits.append(self.done(where, f"written as {_listed(draft.nodes)}"))
        return edits

    def concerns(self, model: ir.Model, node: ir.Node, options: Options) -> bool:
        """Whether the target has no GPU kernel for a node."""
        return placement(model, node, options) in ("cpu", "none")


def _stand_in(output: ir.Value, result: ir.Value, draft: Draft) -> None:
    if result.producer() in draft.nodes:
        result.shape, result.type = output.shape, output.type
    replace(output, result)


def _result_dtype(node: ir.Node, opset: int) -> ir.DataType | None:
    if node.op_type == "Cast":
        return ir.DataType(node.attributes.get_int("to", 0))
    found = result_type(node.op_type, opset)
    if isinstance(found, int):
        value = node.inputs[found]
        return None if value is None else value.dtype
    return None if found is None else ir.DataType[found.upper()]


def _listed(nodes: Sequence[ir.Node]) -> str:
    return ", ".join(dict.fromkeys(node.op_type for node in nodes))
