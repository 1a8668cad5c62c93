"""Small image-to-image networks for any size, with the same random weights for every size."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

Net = Callable[[int, int], onnx.ModelProto]


class Builder:
    """A graph that grows node by node from the image `x` [1, 3, height, width]."""

    def __init__(self, height: int, width: int) -> None:
        self.height, self.width = height, width
        self._random = np.random.default_rng(7)
        self._nodes: list[onnx.NodeProto] = []
        self._weights: list[onnx.TensorProto] = []

    def op(self, kind: str, *inputs: str, outputs: int = 1, **attributes: Any) -> str:
        names = [f"v{len(self._nodes)}_{at}" for at in range(outputs)]
        self._nodes.append(helper.make_node(kind, inputs, names, name=names[0], **attributes))
        return names[0]

    def constant(self, array: Any, dtype: type = np.int64) -> str:
        name = f"w{len(self._weights)}"
        self._weights.append(numpy_helper.from_array(np.asarray(array, dtype), name))
        return name

    def conv(self, x: str, into: int, channels: int, kernel: int = 3, kind: str = "Conv", **attributes: Any) -> str:
        shape = (into, channels, kernel, kernel) if kind == "ConvTranspose" else (channels, into, kernel, kernel)
        scale = 1 / np.sqrt(into * kernel**2)
        weight = self.constant(self._random.standard_normal(shape) * scale, np.float32)
        attributes.setdefault("pads", [kernel // 2] * 4)
        return self.op(kind, x, weight, kernel_shape=[kernel] * 2, **attributes)

    def resize(self, x: str, scale: float, mode: str = "nearest", places: str = "half_pixel") -> str:
        scales = self.constant([1, 1, scale, scale], np.float32)
        return self.op("Resize", x, "", scales, mode=mode, coordinate_transformation_mode=places)

    def reshape(self, x: str, *shape: int) -> str:
        return self.op("Reshape", x, self.constant(shape))

    def model(
        self, output: str, shape: list[int | None] | None = None, also: Mapping[str, Sequence[int]] = {}
    ) -> onnx.ModelProto:
        """Return the model with inferred shapes and `output` renamed to `y`; `also` are the shapes of other inputs."""
        nodes = [*self._nodes, helper.make_node("Identity", [output], ["y"], name="last")]
        x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 3, self.height, self.width])
        y = helper.make_tensor_value_info("y", TensorProto.FLOAT, shape or [None] * 4)
        others = [helper.make_tensor_value_info(name, TensorProto.FLOAT, dims) for name, dims in also.items()]
        graph = helper.make_graph(nodes, "net", [x, *others], [y], self._weights)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)
        return onnx.shape_inference.infer_shapes(model, strict_mode=True, data_prop=True)


def compact(height: int, width: int) -> onnx.ModelProto:
    """Real-ESRGAN's compact network: convolutions with PRelu, PixelShuffle, plus the upsampled image."""
    g = Builder(height, width)
    x = "x"
    for into in (3, 8, 8):
        x = g.op("PRelu", g.conv(x, into, 8), g.constant(np.full((8, 1, 1), 0.1), np.float32))
    x = g.reshape(g.conv(x, 8, 48), 1, 3, 4, 4, height, width)
    x = g.reshape(g.op("Transpose", x, perm=[0, 1, 4, 2, 5, 3]), 1, 3, 4 * height, 4 * width)
    return g.model(g.op("Add", x, g.resize("x", 4, places="asymmetric")))


def residual_dense(height: int, width: int) -> onnx.ModelProto:
    """ESRGAN's network: residual dense blocks, and two upsamplings by 2."""
    g = Builder(height, width)
    first = x = g.conv("x", 3, 8)
    for _ in range(2):
        block, parts = x, [x]
        for at in range(3):
            parts.append(g.op("LeakyRelu", g.conv(g.op("Concat", *parts, axis=1), 8 + 4 * at, 4), alpha=0.2))
        x = g.op("Add", block, g.conv(g.op("Concat", *parts, axis=1), 20, 8))
    x = g.op("Add", first, g.conv(x, 8, 8))
    for _ in range(2):
        x = g.op("LeakyRelu", g.conv(g.resize(x, 2, places="asymmetric"), 8, 8), alpha=0.2)
    return g.model(g.conv(x, 8, 3))


def hourglass(height: int, width: int) -> onnx.ModelProto:
    """Two downsamplings by strided convolutions, two upsamplings by transposed ones, concatenated."""
    g = Builder(height, width)
    one = g.op("Relu", g.conv("x", 3, 4))
    two = g.op("Relu", g.conv(one, 4, 8, strides=[2, 2]))
    x = g.op("Relu", g.conv(two, 8, 8, strides=[2, 2]))
    x = g.conv(x, 8, 8, 2, "ConvTranspose", strides=[2, 2], pads=[0] * 4)
    x = g.conv(g.op("Concat", x, two, axis=1), 16, 4, 4, "ConvTranspose", strides=[2, 2], pads=[1] * 4)
    return g.model(g.conv(g.op("Concat", x, one, axis=1), 8, 3))


def pooled(height: int, width: int) -> onnx.ModelProto:
    """A pool, a dilated convolution, and linear upsampling, after reflection padding."""
    g = Builder(height, width)
    x = g.op("Pad", "x", g.constant([0, 0, 2, 2, 0, 0, 2, 2]), mode="reflect")
    x = g.op("MaxPool", g.conv(x, 3, 6, 5, pads=[0] * 4), kernel_shape=[2, 2], strides=[2, 2])
    x = g.op("Relu", g.conv(x, 6, 6, dilations=[2, 2], pads=[2] * 4))
    x = g.op("AveragePool", x, kernel_shape=[3, 3], pads=[1] * 4)
    return g.model(g.conv(g.resize(x, 2, "linear"), 6, 3))


def unshuffled(height: int, width: int) -> onnx.ModelProto:
    """Pixel unshuffle of 2 x 2 blocks, as in Real-ESRGAN x2, and pixel shuffle."""
    g = Builder(height, width)
    x = g.op("SpaceToDepth", "x", blocksize=2)
    x = g.op("Relu", g.conv(x, 12, 12))
    x = g.op("DepthToSpace", g.conv(x, 12, 12), blocksize=2, mode="CRD")
    return g.model(g.op("Add", x, "x"))


def sliced(height: int, width: int) -> onnx.ModelProto:
    """Every second row and column by Slice, concatenated as channels; channels last in between."""
    g = Builder(height, width)
    axes, steps, ends = g.constant([2, 3]), g.constant([2, 2]), g.constant([height, width])
    parts = [g.op("Slice", "x", g.constant([a, b]), ends, axes, steps) for a in (0, 1) for b in (0, 1)]
    x = g.op("Transpose", g.conv(g.op("Concat", *parts, axis=1), 12, 8), perm=[0, 2, 3, 1])
    x = g.op("LayerNormalization", x, g.constant(np.ones(8), np.float32), axis=-1)
    x = g.op("Transpose", g.op("Softmax", x, axis=-1), perm=[0, 3, 1, 2])
    return g.model(g.conv(g.resize(x, 2, "cubic"), 8, 3))


def windows(height: int, width: int) -> onnx.ModelProto:
    """Attention within windows of 4 x 4 pixels."""
    g = Builder(height, width)
    rows, columns = height // 4, width // 4
    x = g.op("Transpose", g.conv("x", 3, 8), perm=[0, 2, 3, 1])
    x = g.op("Transpose", g.reshape(x, 1, rows, 4, columns, 4, 8), perm=[0, 1, 3, 2, 4, 5])
    x = g.reshape(x, rows * columns, 16, 8)
    weights = g.op("Softmax", g.op("MatMul", x, g.op("Transpose", x, perm=[0, 2, 1])), axis=-1)
    x = g.reshape(g.op("MatMul", weights, x), 1, rows, columns, 4, 4, 8)
    x = g.reshape(g.op("Transpose", x, perm=[0, 1, 3, 2, 4, 5]), 1, height, width, 8)
    return g.model(g.conv(g.op("Transpose", x, perm=[0, 3, 1, 2]), 8, 3))


def tripled(height: int, width: int) -> onnx.ModelProto:
    """Linear upsampling by 3, whose sampling positions are not exact in floats."""
    g = Builder(height, width)
    return g.model(g.resize(g.conv("x", 3, 3), 3, "linear"))


LOCAL: dict[str, tuple[Net, int, int, int]] = {
    "compact": (compact, 4, 1, 4),
    "residual_dense": (residual_dense, 11, 1, 4),
    "hourglass": (hourglass, 9, 4, 1),
    "pooled": (pooled, 11, 2, 1),
    "unshuffled": (unshuffled, 5, 2, 1),
    "sliced": (sliced, 7, 2, 1),
    "windows": (windows, 5, 4, 1),
}
"""Networks with a finite receptive field: name -> halo, multiple and scale."""


def squeezed(height: int, width: int) -> onnx.ModelProto:
    """Channels weighted by their global means (squeeze and excitation)."""
    g = Builder(height, width)
    x = g.conv("x", 3, 8)
    x = g.op("Mul", x, g.op("Sigmoid", g.op("GlobalAveragePool", x)))
    return g.model(g.conv(x, 8, 3))


def normalized(height: int, width: int) -> onnx.ModelProto:
    """An InstanceNormalization."""
    g = Builder(height, width)
    ones, zeros = g.constant(np.ones(3), np.float32), g.constant(np.zeros(3), np.float32)
    return g.model(g.op("InstanceNormalization", g.conv("x", 3, 3), ones, zeros))


def attention(height: int, width: int) -> onnx.ModelProto:
    """Global self-attention."""
    g = Builder(height, width)
    x = g.reshape(g.conv("x", 3, 3), 1, 3, height * width)
    t = g.op("Transpose", x, perm=[0, 2, 1])
    weights = g.op("Softmax", g.op("MatMul", t, x), axis=-1)
    return g.model(g.reshape(g.op("Transpose", g.op("MatMul", weights, t), perm=[0, 2, 1]), 1, 3, height, width))


def positioned(height: int, width: int) -> onnx.ModelProto:
    """A constant for each row is added."""
    g = Builder(height, width)
    return g.model(g.op("Add", "x", g.constant(np.linspace(0, 1, height).reshape(1, 1, -1, 1), np.float32)))


def rolled(height: int, width: int) -> onnx.ModelProto:
    """The last columns are rolled to the front, as for shifted windows."""
    g = Builder(height, width)
    parts = [
        g.op("Slice", "x", g.constant([a]), g.constant([b]), g.constant([3]))
        for a, b in ((width - 2, width), (0, width - 2))
    ]
    return g.model(g.conv(g.op("Concat", *parts, axis=3), 3, 3))


def transformed(height: int, width: int) -> onnx.ModelProto:
    """A matrix product along the columns, as a Fourier transform is exported."""
    g = Builder(height, width)
    return g.model(g.op("MatMul", "x", g.constant(np.eye(width), np.float32)))


def stretched(height: int, width: int) -> onnx.ModelProto:
    """A Resize with aligned corners."""
    g = Builder(height, width)
    return g.model(g.conv(g.resize("x", 2, "linear", "align_corners"), 3, 3))


GLOBAL: dict[str, tuple[Net, str]] = {
    "squeezed": (squeezed, "GlobalAveragePool 'v1_0' reads all rows of the picture"),
    "normalized": (normalized, "InstanceNormalization 'v1_0' reads all rows of the picture"),
    "attention": (attention, "MatMul 'v5_0' reads all rows of the picture"),
    "positioned": (positioned, "Add 'v0_0' treats positions of the picture differently"),
    "rolled": (rolled, "Conv 'v3_0' reads positions at irregular distances"),
    "transformed": (transformed, "MatMul 'v0_0' reads all columns of the picture"),
    "stretched": (stretched, "Resize 'v0_0' resizes with align_corners, where sampling positions depend on the size"),
}
"""Networks without one: name -> the node responsible."""
