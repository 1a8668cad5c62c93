from __future__ import annotations

import numpy as np
import onnx_ir as ir

from webbuild.passes.base import Pass, PassOptions, Rewrite
from webbuild.passes.builder import Builder
from webbuild.passes.rewrite import find_nodes, nbytes, replace_all_uses, static_shape

_MAX_PARTS = 7
"""Operands of one Concat: WebGPU guarantees 8 storage buffers per shader, and the output takes one."""
_WEIGHT_INPUT = {"Gather": 0, "Gemm": 1, "MatMul": 1}


class SplitLargeWeights(Pass):
    """`MatMul(x, w)` -> `Concat(MatMul(x, w1), MatMul(x, w2))` if `w` exceeds the buffer limit; `Gather`, `Gemm` alike.

    Why: every device binds 128 MiB to a shader, most desktops 2 GiB, many phones no more than the minimum. Above the
    limit the run throws "exceeding maxStorageBufferBindingSize". Embeddings and the layers after them reach it: 50,000
    words of 768 numbers take 147 MiB.

    How: the pass cuts the table of a Gather, or the right operand of a MatMul or Gemm, along its columns into as few
    parts as fit. Each part gets its own MatMul, Gemm or Gather, and a Concat joins the columns. Every graph has the
    same parts, so the weights are stored once.

    Limits: at most 7 parts; a weight that needs more is not split. Exact except for the order in which a product is
    summed.
    """

    code = "split-large-weights"
    after = ("fold-constants", "float64-to-float32")
    tolerance = 1e-6

    def apply(self, model: ir.Model, options: PassOptions) -> list[Rewrite]:
        rewrites: list[Rewrite] = []
        cut: dict[tuple[ir.Value, int], list[ir.Value]] = {}
        for node in find_nodes(model, *_WEIGHT_INPUT):
            weight = column_weight(node)
            if weight is None or weight.const_value is None or weight.is_graph_input():
                continue
            if weight.const_value.nbytes <= options.max_binding_size:
                continue
            axis = _column_axis(node)
            columns = columns_per_part(node, weight, options.max_binding_size)
            if columns is None:
                reason = f"'{weight.name}' would need more than {_MAX_PARTS} parts, or its bias is computed"
                rewrites.append(self.skipped(node, reason))
                continue
            add = Builder(model.graph, node, f"{node.name or node.op_type}/parts")
            parts = cut.get((weight, axis)) or _split_weight(weight.graph or model.graph, weight, axis, columns)
            cut[weight, axis] = parts
            replace_all_uses(node.outputs[0], _concat_columns(add, node, parts, axis))
            mebibytes = weight.const_value.nbytes >> 20
            rewrites.append(self.applied(node, f"'{weight.name}', {mebibytes} MiB, in {len(parts)} parts"))
        return rewrites


def column_weight(node: ir.Node) -> ir.Value | None:
    """Return the input of a node whose columns become the columns of the output, None if there is none."""
    weight = node.inputs[_WEIGHT_INPUT[node.op_type]] if node.op_type in _WEIGHT_INPUT else None
    shape = static_shape(weight)
    if shape is None or len(shape) < 2:
        return None
    gathers_columns = node.op_type == "Gather" and node.attributes.get_int("axis", 0) in (-1, len(shape) - 1)
    return None if gathers_columns else weight


def columns_per_part(node: ir.Node, weight: ir.Value, limit: int) -> int | None:
    """Return how many columns of a weight fit into `limit` bytes, None if the weight cannot be split."""
    shape, taken = static_shape(weight), nbytes(weight)
    if shape is None or not taken:
        return None
    size = shape[_column_axis(node)]
    columns = limit * size // taken
    return columns if columns * _MAX_PARTS >= size and _has_splittable_bias(node, size) else None


def _column_axis(node: ir.Node) -> int:
    return 0 if node.op_type == "Gemm" and node.attributes.get_int("transB", 0) == 1 else -1


def _has_splittable_bias(node: ir.Node, size: int) -> bool:
    """Whether a Gemm's bias, if any, can be split too, or is the same for every column."""
    added = node.inputs[2] if node.op_type == "Gemm" and len(node.inputs) > 2 else None
    shape = static_shape(added)
    if added is None or (shape is not None and shape[-1:] in ([], [1])):
        return True
    return added.const_value is not None and not added.is_graph_input() and shape is not None and shape[-1] == size


def _split_weight(graph: ir.Graph, weight: ir.Value, axis: int, columns: int) -> list[ir.Value]:
    """Add the parts of a weight, `columns` each, as lazy tensors that read the weight when they are saved."""
    tensor = weight.const_value
    assert tensor is not None
    size = tensor.shape.numpy()[axis]
    parts = []
    for start in range(0, size, columns):
        end, shape = min(start + columns, size), list(tensor.shape.numpy())
        shape[axis] = end - start
        name = f"{weight.name}/axis{axis % len(shape)}_{start}_{end}"
        if name in graph.initializers:  # from an earlier call
            parts.append(graph.initializers[name])
            continue
        value = ir.Value(name=name, const_value=_part(tensor, axis, start, end, shape, name))
        value.shape, value.type = ir.Shape(shape), ir.TensorType(tensor.dtype)
        graph.register_initializer(value)
        parts.append(value)
    return parts


def _part(tensor: ir.TensorProtocol, axis: int, start: int, end: int, shape: list[int], name: str) -> ir.TensorProtocol:
    def read() -> ir.TensorProtocol:
        whole = tensor.numpy()
        part = whole[start:end] if axis == 0 else whole[..., start:end]
        return ir.tensor(np.ascontiguousarray(part), dtype=tensor.dtype, name=name)

    return ir.LazyTensor(read, dtype=tensor.dtype, shape=ir.Shape(shape), name=name)


def _concat_columns(add: Builder, node: ir.Node, parts: list[ir.Value], axis: int) -> ir.Value:
    sizes = [(value.shape or ir.Shape([]))[axis] for value in parts]
    ends = np.cumsum([0, *(int(size) for size in sizes if isinstance(size, int))]).tolist()
    columns = [
        add.op(node.op_type, *_inputs(add, node, part, start, end), **_attributes(node))
        for part, start, end in zip(parts, ends[:-1], ends[1:], strict=True)
    ]
    for value in columns:
        value.type = node.outputs[0].type
    result = add.op("Concat", *columns, axis=-1)
    result.shape, result.type = node.outputs[0].shape, node.outputs[0].type
    return result


def _inputs(add: Builder, node: ir.Node, part: ir.Value, start: int, end: int) -> list[ir.Value | None]:
    """Return the inputs of a part's node, with a Gemm's bias cut to its columns."""
    inputs = list(node.inputs)
    inputs[_WEIGHT_INPUT[node.op_type]] = part
    if len(inputs) > 2 and (added := inputs[2]) is not None and (static_shape(added) or [1])[-1] != 1:
        assert added.const_value is not None
        inputs[2] = add.const(added.const_value.numpy()[..., start:end], added.const_value.dtype.numpy())
    return inputs


def _attributes(node: ir.Node) -> dict[str, int | float]:
    return {name: each.value for name, each in node.attributes.items() if isinstance(each, ir.Attr)}
