"""The models of the test cases, with subgraphs that capture outer values."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import onnx
import onnx_ir as ir
from onnx import GraphProto, ModelProto, NodeProto, TensorProto, ValueInfoProto, helper

from tests.passes.case import Case

Wrap = Callable[[ModelProto], ModelProto]


def in_if(model: ModelProto) -> ModelProto:
    """Return `y = body(x)` as `If(taken) { body(x) } else { zeros }`: the branch captures inputs and weights."""
    zeros = [
        helper.make_node("Constant", [], [f"{value.name}_zeros"], value=_zeros(value)) for value in model.graph.output
    ]
    otherwise = helper.make_graph(zeros, "otherwise", [], [_named(v, f"{v.name}_zeros") for v in model.graph.output])
    branch = _body(model)
    results = [_named(value, f"{value.name}_result") for value in model.graph.output]
    names = [value.name for value in results]
    node = helper.make_node("If", ["taken"], names, "branch", then_branch=branch, else_branch=otherwise)
    return _model(model, [_scalar("taken", TensorProto.BOOL)], [node], results)


def half_in_if(model: ModelProto, start: int | None = None) -> ModelProto:
    """Return the model with its second half, or its nodes from `start` on, as a branch that captures the first half."""
    graph, start = model.graph, len(model.graph.node) // 2 if start is None else start
    second = ModelProto()
    second.CopyFrom(model)
    del second.graph.node[:], second.graph.output[:]
    second.graph.node.extend(graph.node[start:])
    computed = {name for node in graph.node[start:] for name in node.output}
    second.graph.output.extend(value for value in graph.output if value.name in computed)
    if not second.graph.output:
        return model
    wrapped = in_if(second)
    nodes = [*graph.node[:start], *wrapped.graph.node]
    del wrapped.graph.node[:]
    wrapped.graph.node.extend(nodes)
    wrapped.graph.output.extend(value for value in graph.output if value.name not in computed)
    return wrapped


def in_loop(model: ModelProto) -> ModelProto:
    """Return `y = body(x)` as `[trips, *y] = Loop(trips) { body(x) }`: the body captures inputs and weights."""
    body = _body(model)
    states = [("go", TensorProto.BOOL), ("newest", TensorProto.INT64)]
    body.input.extend([_scalar("turn", TensorProto.INT64), *(_scalar(f"{name}_in", dtype) for name, dtype in states)])
    body.node.append(helper.make_node("Identity", ["go_in"], ["go_out"]))
    body.node.append(helper.make_node("Identity", ["turn"], ["newest_out"]))
    outputs = [*(_scalar(f"{name}_out", dtype) for name, dtype in states), *body.output]
    del body.output[:]
    body.output.extend(outputs)
    results = [_named(value, f"{value.name}_result", ["trips"]) for value in model.graph.output]
    names = [value.name for value in results]
    node = helper.make_node("Loop", ["trips", "taken", "trips"], ["newest", *names], "loop", body=body)
    return _model(model, [_scalar("trips", TensorProto.INT64), _scalar("taken", TensorProto.BOOL)], [node], results)


def in_if_in_loop(model: ModelProto) -> ModelProto:
    """Return `y = body(x)` as `Loop(trips) { If(taken) { body(x) } else { zeros } }`."""
    branch = in_if(model)
    rest = [value for value in branch.graph.input if value.name != "taken"]
    del branch.graph.input[:]
    branch.graph.input.extend(rest)
    return in_loop(branch)


def captured(model: ModelProto) -> ModelProto:
    """Return the model with `v_result = If(taken) { v } else { v }` for each value `v`: branches read all of them."""
    graph = model.graph
    known = {value.name: value for field in (graph.value_info, graph.input, graph.output) for value in field}
    values = [value for value in known.values() if value.type.HasField("tensor_type")]
    results = [_named(value, f"{value.name}_result") for value in values]
    then, otherwise = (
        helper.make_graph(
            [helper.make_node("Identity", [value.name], [f"{value.name}_{branch}"]) for value in values],
            branch,
            [],
            [_named(value, f"{value.name}_{branch}") for value in values],
        )
        for branch in ("then", "else")
    )
    names = [value.name for value in results]
    node = helper.make_node("If", ["taken"], names, "branch", then_branch=then, else_branch=otherwise)
    outputs = [*model.graph.output, *results]
    return _model(model, [_scalar("taken", TensorProto.BOOL)], [*model.graph.node, node], outputs)


def _body(model: ModelProto) -> GraphProto:
    """Return the nodes of a model as a subgraph; an output that is an outer value goes through Identity."""
    body = GraphProto(name="body")
    body.node.extend(model.graph.node)
    computed = {name for node in model.graph.node for name in node.output}
    for value in model.graph.output:
        name = value.name
        if name not in computed:
            body.node.append(helper.make_node("Identity", [name], [f"{name}_inner"]))
            name = f"{name}_inner"
        body.output.append(_named(value, name))
    return body


def _model(
    model: ModelProto, inputs: list[ValueInfoProto], nodes: list[NodeProto], outputs: list[ValueInfoProto]
) -> ModelProto:
    wrapped = ModelProto()
    wrapped.CopyFrom(model)
    graph = wrapped.graph
    graph.input.extend(inputs)
    del graph.node[:], graph.output[:], graph.value_info[:]
    graph.node.extend(nodes)
    graph.output.extend(outputs)
    return wrapped


def _scalar(name: str, dtype: int) -> ValueInfoProto:
    return helper.make_tensor_value_info(name, dtype, [])


def _named(value: ValueInfoProto, name: str, front: list[str] | None = None) -> ValueInfoProto:
    """Return a value's type under another name, with more axes in front."""
    tensor = value.type.tensor_type
    dims = [each.dim_value if each.HasField("dim_value") else each.dim_param or None for each in tensor.shape.dim]
    shape = [*(front or []), *dims] if tensor.HasField("shape") else None
    return helper.make_tensor_value_info(name, tensor.elem_type, shape)


def _zeros(value: ValueInfoProto) -> TensorProto:
    tensor = value.type.tensor_type
    shape = [each.dim_value if each.HasField("dim_value") else 1 for each in tensor.shape.dim]
    return onnx.numpy_helper.from_array(np.zeros(shape, helper.tensor_dtype_to_np_dtype(tensor.elem_type)))


def wrapped(case: Case, wrap: Wrap) -> ir.Model:
    """Return the model of a case in one of these forms."""
    model = ir.to_proto(case.load())
    declared = onnx.parser.parse_model(case.path.read_text("utf-8")).graph.output  # inference forgets some types
    del model.graph.output[:]
    model.graph.output.extend(declared)
    return ir.from_proto(wrap(model))
