"""Models that are broken, absurd, or malicious."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import onnx
from onnx import NodeProto, TensorProto, ValueInfoProto
from onnx.helper import make_graph, make_model, make_node, make_opsetid, make_tensor_value_info

PLACEHOLDER = b"PLACEHOLDER"
NOT_UTF8 = b"PLACE\xff\xfe\x80DER"


def value(name: str, shape: Sequence[int | str], kind: int = TensorProto.FLOAT) -> ValueInfoProto:
    info: ValueInfoProto = make_tensor_value_info(name, kind, shape)
    return info


def graph(
    *nodes: NodeProto,
    x: Sequence[int | str] = (2,),
    y: Sequence[int | str] = (2,),
    weights: Sequence[TensorProto] = (),
    opset: int = 18,
    domains: Sequence[str] = (),
) -> onnx.ModelProto:
    """Return a model from `x` to `y`."""
    made = make_graph(list(nodes), "g", [value("x", x)], [value("y", y)], list(weights))
    imports = [make_opsetid("", opset), *(make_opsetid(domain, 1) for domain in domains)]
    model: onnx.ModelProto = make_model(made, opset_imports=imports, ir_version=8)
    return model


def relu(**changes: object) -> onnx.ModelProto:
    return graph(make_node("Relu", ["x"], ["y"]), **changes)  # type: ignore[arg-type]


def constant_of_two_attributes() -> onnx.ModelProto:
    """Return a model with a Constant of two attributes, which ONNX Runtime loads."""
    model = graph(make_node("Constant", ["x"], ["c"], axis=1, keepdims=0), make_node("Identity", ["c"], ["y"]))
    model.graph.output[0].type.tensor_type.elem_type = TensorProto.INT64
    return model


def adding(weight: TensorProto) -> onnx.ModelProto:
    return graph(make_node("Add", ["x", "w"], ["y"]), weights=[weight])


def weight(*dims: int, data: bytes = b"", kind: int = TensorProto.FLOAT) -> TensorProto:
    tensor = TensorProto(name="w", data_type=kind, dims=dims)
    if data:
        tensor.raw_data = data
    return tensor


def floats(*dims: int, values: Sequence[float]) -> TensorProto:
    return TensorProto(name="w", data_type=TensorProto.FLOAT, dims=dims, float_data=values)


def without_opset() -> onnx.ModelProto:
    model = relu()
    del model.opset_import[:]
    return model


def without_outputs() -> onnx.ModelProto:
    model = relu()
    del model.graph.output[:]
    return model


def output_twice() -> onnx.ModelProto:
    model = relu()
    model.graph.output.append(model.graph.output[0])
    return model


def untyped() -> onnx.ModelProto:
    model = relu()
    model.graph.input[0].type.tensor_type.elem_type = TensorProto.UNDEFINED
    return model


def sequence_out() -> onnx.ModelProto:
    model = graph(make_node("SequenceConstruct", ["x"], ["y"]))
    model.graph.output[0].CopyFrom(onnx.helper.make_tensor_sequence_value_info("y", TensorProto.FLOAT, [2]))
    return model


def maps_out() -> onnx.ModelProto:
    """Return a classifier as scikit-learn's converter writes it: its probabilities are a sequence of maps."""
    node = make_node("ZipMap", ["x"], ["y"], domain="ai.onnx.ml", classlabels_int64s=[0, 1])
    model = graph(node, x=(1, 2), domains=["ai.onnx.ml"])
    maps = onnx.helper.make_map_type_proto(TensorProto.INT64, onnx.helper.make_tensor_type_proto(TensorProto.FLOAT, []))
    model.graph.output[0].type.CopyFrom(onnx.helper.make_sequence_type_proto(maps))
    return model


def strings_out() -> onnx.ModelProto:
    model = graph(make_node("Cast", ["x"], ["y"], to=TensorProto.STRING))
    model.graph.output[0].type.tensor_type.elem_type = TensorProto.STRING
    return model


def weight_of(size: int | list[list[int]]) -> TensorProto:
    values = np.array(size if isinstance(size, list) else [size])
    tensor: TensorProto = onnx.numpy_helper.from_array(values, "w")
    return tensor


def chain(length: int) -> onnx.ModelProto:
    """Return a model with this many nodes in a row."""
    names = ["x", *(f"v{index}" for index in range(length - 1)), "y"]
    return graph(*(make_node("Abs", [names[i]], [names[i + 1]]) for i in range(length)))


def carried_index(length: int) -> onnx.ModelProto:
    """Return an ArgMax whose result goes through this many nodes before it is cast."""
    names = [f"v{index}" for index in range(length)]
    carriers = (make_node("Transpose", [names[i]], [names[i + 1]]) for i in range(length - 1))
    first, last = make_node("ArgMax", ["x"], ["v0"], axis=1), make_node("Cast", [names[-1]], ["y"], to=1)
    return graph(first, *carriers, last, x=(2, 3), y=(2, 1) if length % 2 else (1, 2))


def nested(levels: int) -> bytes:
    """Return nested If nodes. The bytes are written by hand, since protobuf writes no model deeper than it reads."""
    inner = make_graph([make_node("Relu", ["x"], ["y0"])], "l", [], [value("y0", [2])]).SerializeToString()
    other = make_graph([make_node("Neg", ["x"], ["z"])], "e", [], [value("z", [2])]).SerializeToString()
    for level in range(1, levels):
        name = b"y" if level == levels - 1 else b"y%d" % level
        branches = [(b"then_branch", inner), (b"else_branch", other)]
        attributes = b"".join(_field(5, _field(1, key) + _field(6, body) + _GRAPH) for key, body in branches)
        node = _field(1, b"c") + _field(2, name) + _field(4, b"If") + attributes
        inner = _field(1, node) + _field(2, b"l%d" % level) + _field(12, value(name.decode(), [2]).SerializeToString())
    inner += _field(11, value("x", [2]).SerializeToString())
    inner += _field(11, value("c", [], TensorProto.BOOL).SerializeToString())
    return b"\x08\x08" + _field(8, make_opsetid("", 18).SerializeToString()) + _field(7, inner)


_GRAPH = b"\xa0\x01\x05"
"""AttributeProto.type = GRAPH."""


def _field(number: int, content: bytes) -> bytes:
    return bytes([number << 3 | 2]) + _varint(len(content)) + content


def _varint(number: int) -> bytes:
    low, rest = number & 127, number >> 7
    return bytes([low | 128]) + _varint(rest) if rest else bytes([low])
