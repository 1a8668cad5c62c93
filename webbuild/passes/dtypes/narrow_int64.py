from __future__ import annotations

import numpy as np
import onnx_ir as ir

from webbuild.passes.analysis.kernel_lookup import has_kernel, placement
from webbuild.passes.analysis.value_ranges import UNBOUNDED, Interval, value_ranges
from webbuild.passes.base import Pass, PassOptions, Rewrite
from webbuild.passes.builder import Builder
from webbuild.passes.dtypes.int32_lowering import (
    COMPARISON_OPS,
    FLOAT32_EXACT_MAX,
    INT32_MAX,
    can_lower,
    data_inputs,
    lower_node,
    required_int32_ops,
)
from webbuild.passes.dtypes.wrapping_int64 import WRAPPING_OPS, wrapping_values
from webbuild.passes.rewrite import constant, consumers, is_read, replace_all_uses

_MAX_AXIS = 1 << 20
"""Longest axis of an ArgMax or TopK whose indices are looked up in an int32 table."""

_INDEX_OPS = ("Gather", "GatherElements", "ScatterElements")
"""Operators whose second input may be int32."""

_INT64_INDEX_OPS = ("GatherND", "ScatterND")
"""Operators whose second input must be int64; the GPU can cast int32 to int64."""

_FLOAT32_OPS = ("GatherElements", "ReduceSum")
"""Operators that are computed in float32: GatherElements by this pass, ReduceSum of int32 by the kernel."""

_INT64, _INT32 = ir.DataType.INT64, ir.DataType.INT32


class NarrowInt64(Pass):
    """Computes int64 values in int32 on the GPU if value ranges prove that every number fits.

        Gather(t, Clip(Cast(Floor(x), int64) + a, 0, n))  ->  Gather(t, Clip(Cast(Floor(x), int32) + a, 0, n))

    Why: onnxruntime-web has no int64 kernels on the GPU. An index computed by Floor, ArgMax or TopK is copied to the
    CPU, processed there, and copied back.

    How: the pass derives the range of each int64 value from constants, the lengths of axes, and operators that bound
    their result, such as Clip. If all numbers fit in 32 bits and int32 has kernels, they are computed in int32. Inputs
    and outputs of the graph stay int64.

    - Values that depend only on the graph's inputs stay on the CPU, where the inputs are.
    - The exceptions are values that are only compared, or only used as indices to read from or add to a table. Token
      ids, which fit as they index a table, and the edges of a graph neural network are cast once. The nodes that depend
      on them run on the GPU.
    - Intermediate sums and products may overflow if they only lead to an index, such as those of a mask: the lower 32
      bits are enough for the index. So may numbers that are only moved there.
    - If a number may not fit, the pass reports it.

    Exact.
    """

    code = "narrow-int64"
    after = (
        *("fold-constants", "eliminate-no-ops", "argmax-int32", "topk-index-arithmetic"),
        *("append-nms", "append-detr-postprocess", "promote-thresholds"),
        *("static-nms", "pad-nms-output", "static-rotated-nms", "static-generic-nms"),
        *("pad-rotated-nms-output", "pad-generic-nms-output"),
    )
    target = "webgpu"

    def apply(self, model: ir.Model, options: PassOptions) -> list[Rewrite]:
        """Rewrite every int64 region that starts on the GPU."""
        if options.table is None:
            return []
        region = _Int64Region(model, options)
        rewrites = [self.skipped(where, reason) for where, reason in region.refused]
        for nodes in region.connected_components():
            moved = [node for node in nodes if region.runs_on_cpu(node)]
            if moved and (region.begins_on_gpu(nodes) or region.decides_from_input(nodes)):
                region.rewrite(nodes)
                kinds = ", ".join(dict.fromkeys(node.op_type for node in moved))
                rewrites.append(self.applied(moved[0], f"{len(moved)} operators are computed in int32: {kinds}"))
        return rewrites


class _Int64Region:
    """The nodes that compute in int64 and could compute in int32."""

    def __init__(self, model: ir.Model, options: PassOptions) -> None:
        self._model, self._options = model, options
        self._bounds = value_ranges(model.graph)
        self._casts: dict[ir.Value, ir.Value] = {}
        self._wrapping = wrapping_values(model.graph, self._fits, self._is_known)
        self._order = {node: index for index, node in enumerate(model.graph)}
        self._nodes = {node for node in model.graph if self._is_known(node) and not self._too_large(node)}
        self.refused = [
            (node, f"{self._too_large(node)}: it stays on the CPU")
            for node in model.graph
            if self._is_known(node) and self._too_large(node) and self.runs_on_cpu(node) and self.begins_on_gpu([node])
        ]

    def connected_components(self) -> list[list[ir.Node]]:
        """Return the connected components of the nodes, each in the order of the graph."""
        left, parts = dict.fromkeys(sorted(self._nodes, key=self._order.__getitem__)), list[list[ir.Node]]()
        while left:
            part, waiting = list[ir.Node](), [next(iter(left))]
            while waiting:
                node = waiting.pop()
                if node in left:
                    del left[node]
                    part.append(node)
                    waiting += [
                        reader
                        for value in node.outputs
                        for reader in consumers(value)
                        if value in self._integers(reader)
                    ]
                    waiting += [maker for value in self._integers(node) if (maker := value.producer()) is not None]
            parts.append(sorted(part, key=self._order.__getitem__))
        return parts

    def runs_on_cpu(self, node: ir.Node) -> bool:
        """Whether the int64 node has a kernel only on the CPU."""
        return placement(self._model, node, self._options) == "cpu"

    def begins_on_gpu(self, nodes: list[ir.Node]) -> bool:
        """Whether any of the nodes reads a value that another node computes on the GPU."""
        for value in {value: None for node in nodes for value in node.inputs if value is not None}:
            maker = value.producer()
            if maker is None:
                if value.is_graph_input() and value.dtype is not None and value.dtype.is_floating_point():
                    return True
            elif maker not in self._nodes and maker.op_type not in ("Shape", "Constant"):
                where = placement(self._model, maker, self._options)
                if where == "gpu":
                    return True
        return False

    def decides_from_input(self, nodes: list[ir.Node]) -> bool:
        """Whether the nodes compute only bool values from inputs, or indices with fewer Casts than nodes."""
        inputs = {value for node in nodes for value in self._integers(node) if value.is_graph_input()}
        inside = set(nodes)
        left = [value for node in nodes for value in node.outputs if not {*consumers(value)} <= inside]
        compared = all(value.dtype == ir.DataType.BOOL for value in left)
        fewer = len(inputs) < len(nodes) or self._options.int32_inputs
        rows = all(value.dtype == ir.DataType.BOOL or _only_gathers(value, inside) for value in left)
        return bool(inputs) and (compared or (fewer and rows))

    def rewrite(self, nodes: list[ir.Node]) -> None:
        """Replace the nodes by int32 nodes, and cast their results to int64 for other readers."""
        small: dict[ir.Value, ir.Value] = {}
        self._casts.clear()
        for node in nodes:
            add = Builder(self._model.graph, node, f"{node.name or node.op_type}/int32")
            for old, new in zip(node.outputs, self._lower(add, node, small), strict=True):
                new.shape = old.shape
                new.type = ir.TensorType(_INT32) if old.dtype == _INT64 else old.type
                if old.dtype == _INT64:
                    small[old] = new
                else:
                    replace_all_uses(old, new)
        for node in reversed(nodes):
            add = Builder(self._model.graph, node, f"{node.name or node.op_type}/int64")
            for old in node.outputs:
                if old in small:
                    self._replace_output(add, old, small[old])
            self._model.graph.remove(node, safe=True)

    def _is_known(self, node: ir.Node) -> bool:
        """Whether a node computes in int64 and has a form with int32 kernels."""
        data = self._data(node)
        casts = node.op_type == "Cast" and node.outputs[0].dtype == _INT64 and node.inputs[0] is not None
        if not casts and not data:
            return False
        if casts:
            assert node.inputs[0] is not None
            source = node.inputs[0].dtype
            return source is not None and self._has_kernel("Cast", f"{source.name.lower()}->int32")
        if node.op_type == "Cast":
            to = ir.DataType(node.attributes.get_int("to", 0))
            return to == _INT32 or self._has_kernel("Cast", f"int32->{to.name.lower()}")
        outputs = [value.dtype for value in node.outputs]
        wanted = ir.DataType.BOOL if node.op_type in COMPARISON_OPS else _INT64
        known = all(dtype == wanted for dtype in outputs) and all(value.dtype == _INT64 for value in data)
        return known and can_lower(node) and all(self._has_kernel(op, "int32") for op in required_int32_ops(node))

    def _has_kernel(self, op: str, dtype: str) -> bool:
        return has_kernel(self._model, op, dtype, self._options)

    def _too_large(self, node: ir.Node) -> str:
        """Return which value of a node may not fit in the type that computes it; "" if all fit or may overflow."""
        if node.op_type in WRAPPING_OPS and self._wrapping.issuperset(node.outputs):
            return ""
        exact, kind = (FLOAT32_EXACT_MAX, "float32") if node.op_type in _FLOAT32_OPS else (INT32_MAX, "32 bits")
        for value in (*self._data(node), *node.outputs):
            if value.dtype in (_INT64, None) and max(map(abs, self._range(value))) > exact // 2:
                return f"'{value.name}' may not fit {kind}"
        return ""

    def _fits(self, value: ir.Value) -> bool:
        return max(map(abs, self._range(value))) <= INT32_MAX // 2

    def _range(self, value: ir.Value) -> Interval:
        array = constant(value)
        if array is not None:
            return (int(array.min()), int(array.max())) if array.size else (0, 0)
        return self._bounds.get(value, UNBOUNDED)

    def _data(self, node: ir.Node) -> list[ir.Value]:
        """Return the int64 data inputs of a node."""
        values = [node.inputs[index] for index in data_inputs(node)]
        return [value for value in values if value is not None and value.dtype == _INT64]

    def _integers(self, node: ir.Node) -> list[ir.Value]:
        """Return the int64 data inputs of a node, and the int32 input of a Cast to int64."""
        source = node.inputs[0] if node.op_type == "Cast" and node.outputs[0].dtype == _INT64 else None
        return [source] if source is not None and source.dtype == _INT32 else self._data(node)

    def _lower(self, add: Builder, node: ir.Node, small: dict[ir.Value, ir.Value]) -> list[ir.Value]:
        inputs: list[ir.Value | None] = list(node.inputs)
        for index in data_inputs(node):
            value = inputs[index]
            if value is not None and value.dtype == _INT64:
                inputs[index] = small.get(value) or self._narrowed(add, value)
        for index, value in enumerate(inputs):
            if value is not None and value in small:
                narrow = index == 1 and node.op_type in _INDEX_OPS
                inputs[index] = small[value] if narrow else add.cast(small[value], _INT64)
        if node.op_type == "Cast":
            return [add.cast(inputs[0], _target(node))]
        natural = all(self._range(value)[0] >= 0 for value in self._data(node))
        return lower_node(add, node, inputs, natural=natural)

    def _narrowed(self, add: Builder, value: ir.Value) -> ir.Value:
        """Return a value from outside the region as int32: a constant, a table lookup, or a Cast on the CPU."""
        array, maker = constant(value), value.producer()
        if array is not None:
            return add.const(array, np.int32)
        if maker is not None and maker.op_type in ("ArgMax", "ArgMin", "TopK"):
            # Cast(i int64, int32) has no GPU kernel: Gather((0 .. size - 1) int32, i) is the same
            low, high = self._range(value)  # the values of a TopK may be negative
            if low >= 0 and high < _MAX_AXIS:
                return add.op("Gather", add.const(np.arange(int(high) + 1), np.int32), value, axis=0)
        if value not in self._casts:
            self._casts[value] = add.cast(value, _INT32)
        return self._casts[value]

    def _replace_output(self, add: Builder, old: ir.Value, new: ir.Value) -> None:
        """Let readers of `old` outside the region read `new`, as int32 if they accept it."""
        for use in list(old.uses()):
            if use.node.op_type in _INDEX_OPS and use.idx == 1:
                use.node.replace_input_with(1, new)
        if is_read(old):
            wide = add.cast(new, _INT64)
            wide.shape, wide.type = old.shape, old.type
            replace_all_uses(old, wide)


def _target(node: ir.Node) -> ir.DataType:
    to = ir.DataType(node.attributes.get_int("to", 0))
    return _INT32 if to == _INT64 else to


def _only_gathers(value: ir.Value, inside: set[ir.Node]) -> bool:
    """Whether readers outside the region use a value only as indices."""
    outside = [use for use in value.uses() if use.node not in inside]
    indexing = (*_INDEX_OPS, *_INT64_INDEX_OPS)
    return not value.is_graph_output() and all(use.node.op_type in indexing and use.idx == 1 for use in outside)
