"""Base class of passes that replace operators without a GPU kernel by operators that have one."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar

import numpy as np
import onnx_ir as ir

from webbuild.passes.analysis.kernel_lookup import placement
from webbuild.passes.base import Pass, PassOptions, Rewrite
from webbuild.passes.builder import AttributeValue, Builder
from webbuild.passes.rewrite import attribute_values, find_nodes, is_read, opset_version, replace_all_uses
from webbuild.targets.result_type import result_type


class NotApplicableError(Exception):
    """The node cannot be decomposed; the message says why."""


class _NoKernelError(NotApplicableError):
    """One of the replacement nodes has no GPU kernel either."""


class RewriteContext(Builder):
    """A builder that sets the element types of the nodes it adds, and can remove all of them again."""

    def __init__(self, model: ir.Model, before: ir.Node) -> None:
        assert before.graph is not None
        self.opset = opset_version(model)
        super().__init__(before.graph, before, f"{before.name or before.op_type}/simpler", self.opset)
        self.model = model
        self.nodes: list[ir.Node] = []
        self.cpu_casts: list[ir.Node] = []
        self._consts: list[ir.Value] = []

    def _add(
        self, op: str, inputs: Sequence[ir.Value | None], outputs: int, attributes: Mapping[str, AttributeValue]
    ) -> list[ir.Value]:
        results = super()._add(op, inputs, outputs, attributes)
        node = results[0].producer()
        assert node is not None
        self.nodes.append(node)
        dtype = _result_dtype(node, self.opset)
        for value in results:
            value.type = None if dtype is None else ir.TensorType(dtype)
        return results

    def const(self, array: object, dtype: object = np.float32) -> ir.Value:
        """Add an initializer."""
        value = super().const(array, dtype)  # type: ignore[arg-type]
        self._consts.append(value)
        return value

    def cast_to_float(self, value: ir.Value) -> ir.Value:
        """Add a Cast of a few integers to float32, which may run on the CPU: one small copy."""
        result = self.op("Cast", value, to=ir.DataType.FLOAT)
        self.cpu_casts.append(self.nodes[-1])
        return result

    def in_float32(self, node: ir.Node) -> ir.Value:
        """Add a float32 copy of a float16 node: Cast(node(Cast(x, float32)), float16)."""
        wide = self.cast(node.inputs[0], ir.DataType.FLOAT)
        result = self.op(node.op_type, wide, *node.inputs[1:], **attribute_values(node))
        return self.cast(result, ir.DataType.FLOAT16)

    def rollback(self) -> None:
        """Remove all nodes and initializers that were added."""
        self._graph.remove(reversed(self.nodes), safe=True)
        for value in self._consts:
            assert value.name is not None
            del self._graph.initializers[value.name]
        self._release([*(node.name for node in self.nodes), *(value.name for value in self._consts)])


Decomposer = Callable[[RewriteContext, ir.Node], ir.Value | list[ir.Value]]
"""Adds the replacement of a node and returns its first output or outputs. Raises NotApplicableError."""
Decomposers = Mapping[str, Decomposer]


class Decomposition(Pass):
    """A pass that replaces nodes without a GPU kernel by nodes that have one.

    A node is rewritten if the target's kernel table has no GPU kernel for it, and one for each replacement node except
    the draft's `cpu_casts`. Only the first `outputs` outputs of the node may be read.
    """

    target = "webgpu"
    outputs: ClassVar[int] = 1
    after: ClassVar[tuple[str, ...]] = ("downgrade-opset",)

    @abstractmethod
    def decomposers(self) -> Decomposers:
        """Return the decomposer of each operator."""

    def apply(self, model: ir.Model, options: PassOptions) -> list[Rewrite]:
        """Rewrite each node that this moves to the GPU."""
        rewrites = []
        for node in find_nodes(model, *self.decomposers()):
            if not self.matches(model, node, options):
                continue
            if any(map(is_read, node.outputs[self.outputs :])):
                continue
            draft = RewriteContext(model, node)
            try:
                results = self.write(draft, node, options)
            except _NoKernelError:
                continue
            except NotApplicableError as reason:
                rewrites.append(self.skipped(node, str(reason)))
                continue
            for output, result in zip(node.outputs, results, strict=False):
                if is_read(output):
                    _replace_output(output, result, draft)
            model.graph.remove(node, safe=True)
            kinds = ", ".join(dict.fromkeys(each.op_type for each in draft.nodes))
            rewrites.append(self.applied(node, f"written as {kinds}"))
        return rewrites

    def write(self, draft: RewriteContext, node: ir.Node, options: PassOptions) -> list[ir.Value]:
        """Add the replacement of a node, and return its first outputs.

        Raises:
            NotApplicableError: the node has no replacement, or one that does not run on the GPU; nothing is added.
        """
        try:
            results = self.decomposers()[node.op_type](draft, node)
            lacking = [each for each in draft.nodes if placement(draft.model, each, options) != "gpu"]
            if kinds := {each.op_type for each in lacking if each not in draft.cpu_casts}:
                raise _NoKernelError(f"{', '.join(sorted(kinds))} has no GPU kernel here")
        except NotApplicableError:
            draft.rollback()
            raise
        return results if isinstance(results, list) else [results]

    def matches(self, model: ir.Model, node: ir.Node, options: PassOptions) -> bool:
        """Whether the target has no GPU kernel for a node."""
        return placement(model, node, options) in ("cpu", "none")


def _replace_output(output: ir.Value, result: ir.Value, draft: RewriteContext) -> None:
    if result.producer() in draft.nodes:
        result.shape, result.type = output.shape, output.type
    replace_all_uses(output, result)


def _result_dtype(node: ir.Node, opset: int) -> ir.DataType | None:
    if node.op_type == "Cast":
        return ir.DataType(node.attributes.get_int("to", 0))
    input_or_dtype = result_type(node.op_type, opset)
    if isinstance(input_or_dtype, int):
        value = node.inputs[input_or_dtype]
        return None if value is None else value.dtype
    return None if input_or_dtype is None else ir.DataType[input_or_dtype.upper()]
