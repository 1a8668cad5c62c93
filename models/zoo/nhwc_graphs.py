"""Graphs as exported by tf2onnx and paddle2onnx: NHWC, Transposes around Convs, names such as `input_1:0`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from models.zoo.examples import picture
from models.zoo.recipe import Base, Example

KINDS = {"float32": TensorProto.FLOAT, "uint8": TensorProto.UINT8, "int64": TensorProto.INT64, "bool": TensorProto.BOOL}


class Graph:
    """Builds a graph node by node; values are represented by their names."""

    def __init__(self, seed: int = 0) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.weights: list[onnx.TensorProto] = []
        self.random = np.random.default_rng(seed)

    def constant(self, value: Any, kind: str = "float32") -> str:
        """Add an initializer."""
        name = f"const_fold_opt__{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(np.asarray(value, kind), name))
        return name

    def add(self, operator: str, *inputs: str, name: str = "", **attributes: Any) -> str:
        """Add a node of one output."""
        output = name or f"StatefulPartitionedCall/model/{operator.lower()}_{len(self.nodes)}/{operator}:0"
        self.nodes.append(helper.make_node(operator, list(inputs), [output], name=output[:-2], **attributes))
        return output

    def draw(self, *shape: int, inputs: int) -> str:
        """Add random weights, scaled for this number of inputs per output."""
        return self.constant(self.random.normal(0, (1.8 / inputs) ** 0.5, shape))

    def conv(self, value: str, inputs: int, outputs: int, kernel: int = 3, stride: int = 1, group: int = 1) -> str:
        """Add an NHWC convolution between two Transposes, as tf2onnx does before it removes them."""
        weights = self.draw(outputs, inputs // group, kernel, kernel, inputs=inputs // group * kernel**2)
        bias = self.constant(self.random.normal(0, 0.1, outputs))
        first = self.add("Transpose", value, perm=[0, 3, 1, 2])
        middle = self.add("Conv", first, weights, bias, strides=[stride] * 2, group=group, auto_pad="SAME_UPPER",
                          kernel_shape=[kernel] * 2)  # fmt: skip
        return self.add("Transpose", middle, perm=[0, 2, 3, 1])

    def relu6(self, value: str) -> str:
        """Add ReLU6 as a Clip with constant limits."""
        return self.add("Clip", value, self.constant(0.0), self.constant(6.0))

    def model(self, inputs: dict[str, tuple[str, list[Any]]], outputs: dict[str, tuple[str, list[Any]]],
              opset: int) -> onnx.ModelProto:  # fmt: skip
        """Return the model."""
        values = [
            [helper.make_tensor_value_info(name, KINDS[kind], shape) for name, (kind, shape) in side.items()]
            for side in (inputs, outputs)
        ]
        graph = helper.make_graph(self.nodes, "tf2onnx", *values, self.weights)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], producer_name="tf2onnx")
        model.ir_version = 8
        onnx.checker.check_model(model)
        return model


def _normalized(graph: Graph, name: str) -> str:
    """Convert a uint8 picture to float, from -1 to 1."""
    value = graph.add("Cast", name, to=TensorProto.FLOAT)
    return graph.add("Sub", graph.add("Mul", value, graph.constant(1 / 127.5)), graph.constant(1.0))


def _features(graph: Graph, value: str) -> str:
    value = graph.relu6(graph.conv(value, 3, 8, stride=2))
    value = graph.relu6(graph.conv(value, 8, 8, group=8))
    return graph.relu6(graph.conv(value, 8, 16, stride=2))


def _bytes(side: int) -> np.ndarray[Any, Any]:
    return (picture(side).permute(0, 2, 3, 1) * 255).byte().numpy()


def classifier(batch: str | int) -> Example:
    """Return MobileNet as tf2onnx exports a SavedModel: uint8 input, probabilities and an ArgMax as outputs."""
    graph = Graph(1)
    value = _features(graph, _normalized(graph, "input_1:0"))
    value = graph.add("ReduceMean", value, axes=[1, 2], keepdims=0)
    value = graph.add("MatMul", value, graph.draw(16, 10, inputs=4))
    graph.add("Softmax", graph.add("Add", value, graph.constant(np.zeros(10))), axis=-1, name="Identity:0")
    graph.add("ArgMax", "Identity:0", axis=-1, keepdims=0, name="Identity_1:0")
    outputs = {"Identity:0": ("float32", [batch, 10]), "Identity_1:0": ("int64", [batch])}
    model = graph.model({"input_1:0": ("uint8", [batch, 32, 32, 3])}, outputs, 13)
    return Example(model, {"input_1:0": _bytes(32)}, list(outputs))


def detector() -> Example:
    """Return SSD of the TensorFlow Object Detection API: NonMaxSuppression, GatherND, the number of boxes as float."""
    graph = Graph(2)
    value = _features(graph, _normalized(graph, "input_tensor:0"))
    boxes = graph.add("Reshape", graph.conv(value, 16, 4), graph.constant([1, -1, 4], "int64"))
    grid = (np.stack(np.meshgrid(range(8), range(8), indexing="ij"), -1).reshape(1, 64, 2) + 0.5) / 8
    middle, size = graph.constant(grid), graph.constant([0.1])
    first, second = (
        graph.add("Slice", boxes, *(graph.constant([one], "int64") for one in (start, start + 2, 2)))
        for start in (0, 2)
    )
    middle = graph.add("Add", graph.add("Mul", first, size), middle)
    half = graph.add(
        "Mul", graph.add("Exp", graph.add("Clip", second, graph.constant(-3.0), graph.constant(2.0))), size
    )
    corners = graph.add("Concat", graph.add("Sub", middle, half), graph.add("Add", middle, half), axis=-1)
    scores = graph.add("Reshape", graph.conv(value, 16, 3), graph.constant([1, -1, 3], "int64"))
    scores = graph.add("Transpose", graph.add("Sigmoid", scores), perm=[0, 2, 1])
    kept = graph.add(
        "NonMaxSuppression", corners, scores, graph.constant([5], "int64"), graph.constant([0.5]),
        graph.constant([0.3]),
    )  # fmt: skip
    best = graph.add("GatherND", scores, kept)
    box = graph.add("Gather", kept, graph.constant([0, 2], "int64"), axis=1)
    count = graph.add("Shape", best)
    top = graph.add("Min", count, graph.constant([6], "int64"))
    graph.nodes.append(helper.make_node("TopK", [best, top], ["detection_scores", "order"], name="TopKV2"))
    graph.add("Gather", graph.add("GatherND", corners, box), "order", axis=0, name="detection_boxes")
    classes = graph.add("Gather", graph.add("Gather", kept, graph.constant(1, "int64"), axis=1), "order", axis=0)
    graph.add("Cast", classes, to=TensorProto.FLOAT, name="detection_classes")
    graph.add("Cast", top, to=TensorProto.FLOAT, name="num_detections")
    outputs = {"detection_boxes": ("float32", ["n", 4]), "detection_classes": ("float32", ["n"]),
               "detection_scores": ("float32", ["n"]), "num_detections": ("float32", [1])}  # fmt: skip
    model = graph.model({"input_tensor:0": ("uint8", [1, 32, 32, 3])}, outputs, 12)
    return Example(model, {"input_tensor:0": _bytes(32)}, list(outputs))


def selfie(opset: int) -> Example:
    """Return MediaPipe's segmenter: NHWC float, decomposed hard swish, Resize by sizes, a mask of one channel."""
    graph = Graph(3)
    value = graph.conv("input_1:0", 3, 8, stride=2)
    shifted = graph.relu6(graph.add("Add", value, graph.constant(3.0)))
    value = graph.add("Mul", value, graph.add("Mul", shifted, graph.constant(1 / 6)))
    low = graph.conv(value, 8, 8, stride=2)
    gate = graph.add("ReduceMean", low, axes=[1, 2], keepdims=1)
    low = graph.add("Mul", low, graph.add("HardSigmoid", graph.conv(gate, 8, 8, kernel=1), alpha=1 / 6))
    low = graph.add("Transpose", low, perm=[0, 3, 1, 2])
    sizes = graph.constant([1, 8, 16, 16], "int64")
    up = graph.add("Resize", low, graph.constant([]), graph.constant([]), sizes, mode="linear",
                   coordinate_transformation_mode="half_pixel")  # fmt: skip
    both = graph.add("Add", graph.add("Transpose", up, perm=[0, 2, 3, 1]), value)
    weights, first = graph.draw(8, 1, 2, 2, inputs=8), graph.add("Transpose", both, perm=[0, 3, 1, 2])
    mask = graph.add("ConvTranspose", first, weights, strides=[2, 2], kernel_shape=[2, 2])
    graph.add("Sigmoid", graph.add("Transpose", mask, perm=[0, 2, 3, 1]), name="activation_10")
    inputs = {"input_1:0": ("float32", [1, 32, 32, 3])}
    model = graph.model(inputs, {"activation_10": ("float32", [1, 32, 32, 1])}, opset)
    return Example(model, {"input_1:0": picture(32).permute(0, 2, 3, 1).contiguous()})


def style() -> Example:
    """Return a style transfer network with dynamic size: reflect Pads, decomposed instance norm, uint8 output."""
    graph = Graph(4)
    value = graph.add("Cast", "image", to=TensorProto.FLOAT)
    value = graph.add("Pad", value, graph.constant([0, 2, 2, 0, 0, 2, 2, 0], "int64"), mode="reflect")
    for inputs, outputs in ((3, 8), (8, 8)):
        value = graph.conv(value, inputs, outputs)
        mean = graph.add("ReduceMean", value, axes=[1, 2], keepdims=1)
        apart = graph.add("Sub", value, mean)
        variance = graph.add("ReduceMean", graph.add("Mul", apart, apart), axes=[1, 2], keepdims=1)
        deviation = graph.add("Sqrt", graph.add("Add", variance, graph.constant(1e-3)))
        value = graph.add("LeakyRelu", graph.add("Div", apart, deviation), alpha=0.2)
    value = graph.add("Mul", graph.add("Tanh", graph.conv(value, 8, 3)), graph.constant(127.5))
    value = graph.add(
        "Clip", graph.add("Add", value, graph.constant(127.5)), graph.constant(0.0), graph.constant(255.0)
    )
    ends = [graph.constant(one, "int64") for one in ([2, 2], [-2, -2], [1, 2])]
    graph.add("Cast", graph.add("Slice", value, *ends), to=TensorProto.UINT8, name="stylized")
    shape = [1, "height", "width", 3]
    model = graph.model({"image": ("uint8", shape)}, {"stylized": ("uint8", shape)}, 13)
    return Example(model, {"image": _bytes(48)}, ["stylized"])


def text() -> Example:
    """Return a Keras text classifier: Embedding by Gather, an LSTM with lengths from the mask, a Dense layer."""
    graph = Graph(5)
    mask = graph.add("Not", graph.add("Equal", "serving_default_tokens:0", graph.constant(0, "int64")))
    counts = graph.add("ReduceSum", graph.add("Cast", mask, to=TensorProto.INT32), graph.constant([1], "int64"),
                       keepdims=0)  # fmt: skip
    words = graph.add("Gather", graph.draw(50, 16, inputs=2), "serving_default_tokens:0")
    weights = graph.draw(1, 32, 16, inputs=16), graph.draw(1, 32, 8, inputs=8), graph.draw(1, 64, inputs=64)
    words = graph.add("Transpose", words, perm=[1, 0, 2])
    graph.nodes.append(
        helper.make_node("LSTM", [words, *weights, counts], ["", "LSTM__9:1"], name="LSTM__9", hidden_size=8)
    )
    hidden = graph.add("Elu", graph.add("Squeeze", "LSTM__9:1", graph.constant([0], "int64")))
    graph.add("Sigmoid", graph.add("MatMul", hidden, graph.draw(8, 4, inputs=1)), name="Identity:0")
    model = graph.model({"serving_default_tokens:0": ("int64", ["unk__1", "unk__2"])},
                        {"Identity:0": ("float32", ["unk__1", 4])}, 13)  # fmt: skip
    ids = np.array([[4, 7, 31, 12, 9, 3, 0, 0, 0]])
    return Example(model, {"serving_default_tokens:0": ids}, ["Identity:0"])


def _base(conversions: str, build: Callable[..., Example], *arguments: Any) -> Base:
    return Base(partial(build, *arguments), "tf2onnx", conversions)


BASES = {
    "tf-mobilenet": _base("sim slim ort-fp16 ort-all qoperator", classifier, 1),
    "tf-mobilenet-free": _base("sim qdq", classifier, "unk__20"),
    "tf-ssd": _base("slim ort-fp16-io ort-extended", detector),
    "tf-selfie": _base("sim slim qdq", selfie, 11),
    "tf-style": _base("sim ort-fp16-io", style),
    "tf-text": _base("dynamic-int8", text),
}
