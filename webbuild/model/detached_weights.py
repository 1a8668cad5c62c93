"""A graph and its weights, serialized separately."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import onnx
import onnx_ir as ir

from webbuild.model.traversal import iter_nodes

VERSIONS = (onnx.__version__, ir.__version__)
"""Versions of the libraries that serialize."""


def graph_bytes(model: ir.Model, *, names: bool = True) -> bytes | None:
    """Return a serialized model whose weights are additional inputs at the end; equal graphs give equal bytes.

    None if a tensor of an attribute or a subgraph is external data: the bytes would have its location, not its values.
    `names=False` omits the names of tensors in attributes: passes set them when they run on a copy of the model.
    """
    graph = model.graph
    weights = [value for value in graph.initializers.values() if not value.is_graph_input()]
    view = ir.GraphView(
        [*graph.inputs, *weights],
        graph.outputs,
        nodes=list(graph),
        name=graph.name,
        opset_imports=graph.opset_imports,
        doc_string=graph.doc_string,
        metadata_props=graph.metadata_props,
    )
    whole = ir.Model(
        view,  # type: ignore[arg-type]
        ir_version=model.ir_version,
        producer_name=model.producer_name,
        producer_version=model.producer_version,
        domain=model.domain,
        model_version=model.model_version,
        doc_string=model.doc_string,
        functions=list(model.functions.values()),
        metadata_props=model.metadata_props,
    )
    proto = ir.to_proto(whole)
    if any(tensor.data_location == tensor.EXTERNAL for tensor in _tensors(proto)):
        return None
    for attribute in (attribute for node in iter_nodes(proto) for attribute in node.attribute):
        if attribute.HasField("t") and not names:
            attribute.t.name = ""
    return proto.SerializeToString(deterministic=True)


def _tensors(proto: onnx.ModelProto) -> Iterator[onnx.TensorProto]:
    """Yield the tensors in attributes and the initializers of subgraphs, in functions too."""
    for attribute in (attribute for node in iter_nodes(proto) for attribute in node.attribute):
        yield from (attribute.t, *attribute.tensors)
        for graph in (attribute.g, *attribute.graphs):
            yield from graph.initializer


def with_weights(data: bytes, weights: Mapping[str, ir.TensorProtocol]) -> ir.Model:
    """Return the model of `graph_bytes`, its weights set by name as initializers in place of the inputs."""
    model = ir.from_proto(onnx.ModelProto.FromString(data))
    for value in [value for value in model.graph.inputs if value.name in weights]:
        model.graph.inputs.remove(value)
        value.const_value = weights[value.name or ""]
        model.graph.register_initializer(value)
    return model


def tensor_bytes(tensor: ir.TensorProtocol) -> bytes:
    """Serialize a tensor with its name, type and shape."""
    proto = onnx.TensorProto()
    ir.serde.serialize_tensor_into(proto, ir.Tensor(tensor.numpy(), dtype=tensor.dtype, name=tensor.name))
    return proto.SerializeToString(deterministic=True)


def tensor_of(data: bytes) -> ir.TensorProtocol:
    """Return the tensor that `tensor_bytes` serialized."""
    return ir.serde.deserialize_tensor(onnx.TensorProto.FromString(data))
