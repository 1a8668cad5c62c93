"""BatchNormalization that measures its batch."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir

from webbuild.passes._base import Edit, Options, Pass
from webbuild.passes._graph import Builder, nodes_of, replace
from webbuild.passes._kernels import placement


class TrainingNorms(Pass):
    """Writes a BatchNormalization in training mode as the mean and the variance that it measures.

    Why: exported without `model.eval()`, it normalises by its own batch. The WebGPU kernel throws at run time.

    How: two ReduceMeans over all axes but the channels', and the arithmetic of the definition; running mean and
    variance too, where something reads them. Right to 1e-5 of the largest magnitude.
    """

    code = "training-norms"
    after = ("fold-constants", "lower-opset")
    target = "webgpu"

    def apply(self, model: ir.Model, options: Options) -> list[Edit]:
        """Write each in its parts."""
        edits = []
        for node in nodes_of(model, "BatchNormalization"):
            x = node.inputs[0]
            if not node.attributes.get_int("training_mode", 0) or placement(model, node, options) != "gpu":
                continue
            where = f"BatchNormalization '{node.name}'"
            if x is None or x.shape is None or x.dtype is None or len(x.shape) < 2:
                edits.append(self.left(where, "its rank or type is not known"))
                continue
            _write(model, node, len(x.shape), x.dtype.numpy())
            edits.append(self.done(where, "written as the mean and the variance of its batch"))
        return edits


def _write(model: ir.Model, node: ir.Node, rank: int, dtype: np.dtype[np.generic]) -> None:
    x, scale, bias, *running = node.inputs
    add = Builder(model.graph, node, f"{node.name or 'BatchNormalization'}/measured")
    axes = [axis for axis in range(rank) if axis != 1]
    apart, flat = add.const([1, -1, *[1] * (rank - 2)], np.int64), add.const([-1], np.int64)
    mean = add.reduce("ReduceMean", x, axes)
    centred = add.op("Sub", x, mean)
    variance = add.reduce("ReduceMean", add.op("Mul", centred, centred), axes)
    epsilon = add.const(node.attributes.get_float("epsilon", 1e-5), dtype)
    factor = add.op("Div", add.op("Reshape", scale, apart), add.op("Sqrt", add.op("Add", variance, epsilon)))
    result = add.op("Add", add.op("Mul", centred, factor), add.op("Reshape", bias, apart))
    momentum = node.attributes.get_float("momentum", 0.9)
    for old, new, before in zip(node.outputs[1:], (mean, variance), running, strict=False):
        if old.uses() or old.is_graph_output():
            kept = add.op("Mul", before, add.const(momentum, dtype))
            fresh = add.op("Mul", add.op("Reshape", new, flat), add.const(1 - momentum, dtype))
            replace(old, add.op("Add", kept, fresh))
    result.shape, result.type = node.outputs[0].shape, node.outputs[0].type
    replace(node.outputs[0], result)
    model.graph.remove(node, safe=True)  # left in, native ONNX Runtime would write into the running mean it reads
