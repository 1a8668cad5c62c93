from __future__ import annotations

import math

import numpy as np
import onnx_ir as ir

from webbuild.passes.analysis.kernel_lookup import has_kernel, placement
from webbuild.passes.base import Pass, PassOptions, Rewrite
from webbuild.passes.builder import Builder
from webbuild.passes.dtypes.int32_inputs import reads_int32
from webbuild.passes.dtypes.int32_lowering import (
    COMPARISON_OPS,
    DATA_MOVEMENT_OPS,
    can_lower,
    lower_node,
    required_int32_ops,
)
from webbuild.passes.rewrite import consumers, find_nodes, opset_version, replace_all_uses, static_shape

_LARGEST = 1 << 16
"""Largest number of elements to rank: the CPU sorts them."""
_UNIQUE_SINCE = 11
_INT64, _INT32 = ir.DataType.INT64, ir.DataType.INT32


class RankComparisons(Pass):
    """Compares the elements of an int64 input with one another by their ranks, in int32.

        Equal(Unsqueeze(x int64 [B, N], 2), Unsqueeze(x, 1)) [B, N, N]
            ->  rank = Reshape(Gather((0 .. B * N - 1) int32, Unique(x).inverse_indices), [B, N])
                Equal(Unsqueeze(rank, 2), Unsqueeze(rank, 1))

    Why: onnxruntime-web has no int64 comparisons on the GPU. XLNet and Funnel compare `token_type_ids` with itself, to
    find which tokens are in the same segment. Each step is a node on the CPU. The numbers need not fit in 32 bits.

    How: Unique ranks the numbers, on the CPU, where the input is. The rest runs on the GPU: one number is less than
    another if its rank is. In a bundle the numbers are cast instead, as its runtime checks that they fit.

    Limits: static sizes, at most 65,536 numbers, and more than one node to move off the CPU. Exact.
    """

    code = "rank-comparisons"
    after = ("fold-constants", "eliminate-no-ops", "hoist-cast", "narrow-int64")
    target = "webgpu"
    scope = "main graph"

    def apply(self, model: ir.Model, options: PassOptions) -> list[Rewrite]:
        """Rewrite the comparisons of each input."""
        rewrites = []
        for value in model.graph.inputs:
            sizes = static_shape(value)
            if value.dtype != _INT64 or value.is_initializer() or sizes is None or opset_version(model) < _UNIQUE_SINCE:
                continue
            comparisons = _SelfComparisons(model, value, options)
            if 0 < math.prod(sizes) <= _LARGEST and comparisons.comparisons and len(comparisons.removed) > 1:
                comparisons.rewrite(sizes)
                reason = f"is compared in int32: {len(comparisons.removed)} nodes move off the CPU"
                rewrites.append(self.applied(f"input '{value.name}'", reason))
        return rewrites


class _SelfComparisons:
    """The comparisons of an input with itself, and the data movement before them."""

    def __init__(self, model: ir.Model, source: ir.Value, options: PassOptions) -> None:
        self._model, self._source, self._options = model, source, options
        self._moved = self._moved_values()
        self.comparisons = [node for node in find_nodes(model, *sorted(COMPARISON_OPS)) if self._compares(node)]
        self.removed = self._removable()

    def rewrite(self, sizes: list[int]) -> None:
        """Compute the comparisons in int32."""
        small = {self._source: self._narrowed(sizes)}
        for node in self.comparisons:
            add = Builder(self._model.graph, node, f"{node.name or node.op_type}/ranks")
            sides = [self._lowered(add, value, small) for value in node.inputs if value is not None]
            result = add.op(node.op_type, *sides)
            result.shape, result.type = node.outputs[0].shape, node.outputs[0].type
            replace_all_uses(node.outputs[0], result)
        for node in self.removed:
            self._model.graph.remove(node, safe=True)

    def _moved_values(self) -> set[ir.Value]:
        moved = {self._source}
        for node in self._model.graph:
            if node.op_type in DATA_MOVEMENT_OPS and node.inputs[0] in moved and self._can_move(node):
                moved.update(node.outputs)
        return moved

    def _can_move(self, node: ir.Node) -> bool:
        kernels = (has_kernel(self._model, op, "int32", self._options) for op in required_int32_ops(node))
        return node.domain in ("", "ai.onnx") and can_lower(node) and all(kernels)

    def _compares(self, node: ir.Node) -> bool:
        on_cpu = placement(self._model, node, self._options) == "cpu"
        return (
            on_cpu
            and self._moved.issuperset(node.inputs)
            and has_kernel(self._model, node.op_type, "int32", self._options)
        )

    def _removable(self) -> list[ir.Node]:
        """Return the comparisons, and the data movement that no other node reads; readers first."""
        removable = dict.fromkeys(reversed(self.comparisons))
        for node in reversed(list(self._model.graph)):
            value = node.outputs[0]
            if value in self._moved and not value.is_graph_output() and removable.keys() >= set(consumers(value)):
                removable[node] = None
        return list(removable)

    def _narrowed(self, sizes: list[int]) -> ir.Value:
        """Add a Cast of the input to int32, or the ranks of its numbers."""
        add = Builder(self._model.graph, next(iter(self._model.graph)), f"{self._source.name}/ranks")
        is_state = self._source.name in self._options.states
        if self._options.int32_inputs and not is_state and reads_int32(self._source, self.removed):
            narrow = add.cast(self._source, _INT32)
        else:
            _, _, inverse = add.node("Unique", self._source, outputs=3)
            count = math.prod(sizes)
            inverse.shape, inverse.type = ir.Shape([count]), ir.TensorType(_INT64)
            # Cast(i int64, int32) has no GPU kernel: Gather((0 .. count - 1) int32, i) is the same
            ranks = add.op("Gather", add.const(np.arange(count), np.int32), inverse, axis=0)
            narrow = add.reshape(ranks, sizes)
        narrow.shape, narrow.type = self._source.shape, ir.TensorType(_INT32)
        return narrow

    def _lowered(self, add: Builder, value: ir.Value, small: dict[ir.Value, ir.Value]) -> ir.Value:
        """Return a moved value as int32."""
        if value not in small:
            node = value.producer()
            assert node is not None
            assert node.inputs[0] is not None
            inputs = [self._lowered(add, node.inputs[0], small), *node.inputs[1:]]
            (result,) = lower_node(add, node, inputs, natural=False)
            result.shape, result.type = value.shape, ir.TensorType(_INT32)
            small[value] = result
        return small[value]
