"""Shape inference: types and shapes that onnx infers, written into the model."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from functools import lru_cache

import onnx
import onnx_ir as ir

from webbuild.model.traversal import iter_nodes
from webbuild.model.unused_name import unused_name

_LARGEST_VALUE = 1000
"""Bytes of the largest weight whose values are kept for inference: sizes are small, and a model may exceed 2 GB."""
_MOST_NUMBERS = 1 << 20
"""Longest vector with which data propagation is on: it makes an object of each element, known or not."""
_STAND_INS = {
    **dict.fromkeys(("BiasAdd", "BiasGelu", "FastGelu", "Gelu", "LayerNormalization", "QuickGelu"), "Identity"),
    "RotaryEmbedding": "Identity",
    "DynamicQuantizeLSTM": "LSTM",
    "SimplifiedLayerNormalization": "Identity",
    "FusedConv": "Conv",
    "FusedGemm": "Gemm",
    "FusedMatMul": "MatMul",
}
"""Contrib operators of ONNX Runtime, and standard operators whose first output has the same type and shape."""
_SKIPS = ("SkipLayerNormalization", "SkipSimplifiedLayerNormalization")
"""Their first output and their last, the sum, have the type and shape of their first input."""
_EMBEDDING = "EmbedLayerNormalization"
"""The word, position and segment embeddings of token ids [B, S]: [B, S, C], the mask's index [B] and their sum."""
_DOMAIN = "webbuild.shapes"
_QUANTIZED_WEIGHTS = "MatMulNBits"
"""A MatMul with packed weights: its attributes K and N are their shape."""


def add_inferred_shapes(model: ir.Model) -> None:
    """Write the shapes that onnx infers into the model; if inference fails, log that and leave the model unchanged."""
    _write_onesided(model)
    _separate_names(model)
    try:
        proto = _without_weights(model)
        inferred = onnx.shape_inference.infer_shapes(proto, check_type=False, strict_mode=False)
        if _longest_vector(inferred.graph) <= _MOST_NUMBERS:
            inferred = onnx.shape_inference.infer_shapes(proto, check_type=False, strict_mode=False, data_prop=True)
    except Exception as error:  # onnx's own errors share no base class with protobuf's
        logging.getLogger(__name__).warning("No shapes could be inferred: %s", error)
    else:
        _read_shapes(model.graph, inferred.graph)


def _write_onesided(model: ir.Model) -> None:
    """Write the default of `onesided`, 1, into each STFT: shape inference takes 0 if the attribute is missing."""
    for node in ir.traversal.RecursiveGraphIterator(model.graph):
        if node.op_type == "STFT" and "onesided" not in node.attributes:
            node.attributes["onesided"] = ir.AttrInt64("onesided", 1)


def _separate_names(model: ir.Model) -> None:
    """Rename values of bodies that have the name of a value in another body: inference takes one for the other.

    Optimum joins two decoders in one If, whose branches have the same names for other sizes.
    """
    taken: set[str | None] = set()
    for graph in (model.graph, *model.graph.subgraphs()):
        values = [*graph.inputs, *graph.initializers.values(), *(value for node in graph for value in node.outputs)]
        for value in dict.fromkeys(values):
            if graph is not model.graph and value.name in taken:
                value.name = unused_name(taken, value.name or "")
            if value.name:
                taken.add(value.name)


def _without_weights(model: ir.Model) -> onnx.ModelProto:
    """Return the model with its weights as inputs; small weights also keep their values.

    Contrib operators that ONNX does not know are replaced by operators with outputs of the same type and shape.
    """
    graph, proto = model.graph, onnx.ModelProto(ir_version=model.ir_version)
    weights = list(graph.initializers.values())
    small = [w for w in weights if w.const_value is not None and w.const_value.nbytes <= _LARGEST_VALUE]
    inputs = [*graph.inputs, *(weight for weight in weights if not weight.is_graph_input())]
    view = ir.GraphView(inputs, graph.outputs, nodes=list(graph), initializers=small, name=graph.name)
    proto.opset_import.extend(onnx.helper.make_opsetid(*opset) for opset in model.opset_imports.items())
    proto.functions.extend(map(ir.serde.serialize_function, model.functions.values()))
    ir.serde.serialize_graph_into(proto.graph, view)  # type: ignore[arg-type]
    proto.functions.extend(make(model.opset_imports.get("", 1)) for make in (_same_twice, _embedding))
    proto.opset_import.append(onnx.helper.make_opsetid(_DOMAIN, 1))
    known = {tensor.name: tensor for tensor in proto.graph.initializer}
    for node in iter_nodes(proto):
        for attribute in node.attribute:
            if attribute.type == onnx.AttributeProto.GRAPH:
                _add_captured(attribute.g, known)
        if node.op_type == _QUANTIZED_WEIGHTS:
            proto.graph.input.append(_unpack_weights(node))
        elif node.op_type in _SKIPS:
            _sum_too(node)
        elif node.op_type == _EMBEDDING:
            _look_up(node)
        elif node.op_type in _STAND_INS and not _is_known(node, model.opset_imports.get("", 1)):
            _replace(node, _STAND_INS[node.op_type])
    return proto


def _longest_vector(graph: onnx.GraphProto) -> int:
    """Return the length of the longest 1-D tensor of static shape."""
    shapes = (value.type.tensor_type.shape for value in (*graph.input, *graph.value_info, *graph.output))
    return max((shape.dim[0].dim_value for shape in shapes if len(shape.dim) == 1), default=0)


def _add_captured(body: onnx.GraphProto, known: Mapping[str, onnx.TensorProto]) -> None:
    """Copy the small weights that a body captures into it: inference passes only their types to a body."""
    own = {tensor.name for tensor in body.initializer} | {value.name for value in body.input}
    read = dict.fromkeys(name for node in body.node for name in node.input)
    body.initializer.extend(known[name] for name in read if name in known and name not in own)


def _replace(node: onnx.NodeProto, op: str) -> None:
    """Turn a node into a standard operator, unless it transposes an input that the operator cannot transpose."""
    schema = onnx.defs.get_schema(op)
    own = {attribute.name: attribute for attribute in node.attribute}
    if any(own[name].i for name in own if name.startswith("trans") and name not in schema.attributes):
        return
    node.domain, node.op_type = "", op
    del node.input[schema.max_input :], node.output[schema.max_output :], node.attribute[:]
    node.attribute.extend(own[name] for name in own if name in schema.attributes)


def _same_twice(opset: int) -> onnx.FunctionProto:
    nodes = [onnx.helper.make_node("Identity", ["x"], [name]) for name in ("y", "sum")]
    return onnx.helper.make_function(
        _DOMAIN, "Twice", ["x"], ["y", "sum"], nodes, [onnx.helper.make_opsetid("", opset)]
    )


def _embedding(opset: int) -> onnx.FunctionProto:
    nodes = [
        onnx.helper.make_node("Gather", ["words", "ids"], ["y"]),
        onnx.helper.make_node("Constant", [], ["first"], value_int=0),
        onnx.helper.make_node("Gather", ["ids", "first"], ["mask_index"], axis=1),
        onnx.helper.make_node("Identity", ["y"], ["sum"]),
    ]
    return onnx.helper.make_function(
        _DOMAIN, "Embedding", ["ids", "words"], ["y", "mask_index", "sum"], nodes, [onnx.helper.make_opsetid("", opset)]
    )


def _look_up(node: onnx.NodeProto) -> None:
    """Turn the embeddings of token ids into a node with outputs of the same types and shapes."""
    node.domain, node.op_type = _DOMAIN, "Embedding"
    ids, words = node.input[0], node.input[2]
    outputs = [*node.output, *[""] * 3][:3]
    del node.input[:], node.output[:], node.attribute[:]
    node.input.extend([ids, words])
    node.output.extend(name or f"{outputs[0]}/unread {index}" for index, name in enumerate(outputs))


def _sum_too(node: onnx.NodeProto) -> None:
    """Turn a skip normalization into a node with one or two outputs like its first input."""
    outputs = [node.output[0], *node.output[3:4]]
    node.domain, node.op_type = ("", "Identity") if len(outputs) == 1 else (_DOMAIN, "Twice")
    del node.input[1:], node.output[:], node.attribute[:]
    node.output.extend(outputs)


def _unpack_weights(node: onnx.NodeProto) -> onnx.ValueInfoProto:
    """Turn a node into a MatMul, and return the graph input that replaces its weights: [K, N]."""
    sizes = {attribute.name: attribute.i for attribute in node.attribute}
    weights = f"{node.output[0]}/weights"
    node.domain, node.op_type = "", "MatMul"
    del node.input[1:], node.attribute[:]
    node.input.append(weights)
    return onnx.helper.make_tensor_value_info(weights, onnx.TensorProto.FLOAT, [sizes["K"], sizes["N"]])


def _is_known(node: onnx.NodeProto, opset: int) -> bool:
    """Whether ONNX has the operator. LayerNormalization before opset 17 is a contrib operator."""
    try:
        onnx.defs.get_schema(node.op_type, 1 if node.domain else opset, node.domain)
    except onnx.defs.SchemaError:
        return False
    return True


@lru_cache(maxsize=4096)
def _read_shape(data: bytes) -> ir.Shape | None:
    """Return the shape in a TypeProto, cached: shapes are frozen, and 1000 values have about 50 distinct ones."""
    return ir.serde.deserialize_type_proto_for_shape(onnx.TypeProto.FromString(data))


def _read_shapes(graph: ir.Graph, proto: onnx.GraphProto) -> None:
    """Copy the types and shapes of tensors from `proto`; sequences and optionals keep their types.

    Converting the whole proto to onnx_ir would take longer than the inference.
    """
    known = {info.name: info.type for info in (*proto.input, *proto.value_info, *proto.output)}
    for value in (*graph.inputs, *(value for node in graph for value in node.outputs)):
        if value.name not in known or not known[value.name].HasField("tensor_type"):
            continue
        element = known[value.name].tensor_type.elem_type
        if element and value.dtype != element:
            value.dtype = ir.DataType(element)
        shape = _read_shape(known[value.name].SerializeToString())
        value.shape = value.shape if shape is None else shape
    for node, node_proto in zip(graph, proto.node, strict=True):
        for attribute in node_proto.attribute:
            if attribute.type == onnx.AttributeProto.GRAPH:
                _read_shapes(node.attributes[attribute.name].as_graph(), attribute.g)
