"""Two activations behind a Conv, of which the engine would lose the first."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir

from webbuild.passes._base import Edit, Options, Pass
from webbuild.passes._graph import Builder, constant, nodes_of, opset_of, users
from webbuild.targets.schema import schema

FUSED = ("Relu", "Sigmoid", "Tanh", "Clip", "LeakyRelu", "HardSigmoid")
"""What the engine's optimiser makes part of the Conv before it."""
_LEAST = {"Relu": 0.0, "Sigmoid": 0.0, "Tanh": -1.0, "HardSigmoid": 0.0}


class ActivationsApart(Pass):
    """Puts a Max between two activations behind a Conv, where the engine would lose the first of them.

    Why: onnxruntime-web's optimiser makes an activation part of the Conv before it, and then the next one too, though
    there is room for one: Relu and then Sigmoid gives the Sigmoid alone, Relu and then x times Sigmoid(x) the SiLU
    alone, and nothing says so.

    How: Max with the least value that the first activation can give changes no number, and is not fused. It costs
    one pass over the tensor.
    """

    code = "activations-apart"
    after = ("fold-constants", "lower-opset", "simpler-activations")
    target = "webgpu"

    def apply(self, model: ir.Model, options: Options) -> list[Edit]:
        """Put a Max behind each first activation."""
        edits = []
        for node in nodes_of(model, *FUSED):
            if not is_lost(node):
                continue
            where = f"{node.op_type} '{node.name}'"
            if not _has_kernel(model, node.outputs[0], options):
                edits.append(self.left(where, "lost between a Conv and another activation; Max has no GPU kernel here"))
                continue
            _part(model, node)
            edits.append(self.done(where, "kept between a Conv and another activation by a Max with its least value"))
        return edits


def is_lost(node: ir.Node) -> bool:
    """Whether an activation is all that reads a Conv, and another one all that reads it."""
    before = node.inputs[0] if node.op_type in FUSED else None
    producer = None if before is None else before.producer()
    if producer is None or producer.op_type != "Conv" or not _has_readers(before, 1):
        return False
    return _is_activated(node.outputs[0])


def _has_readers(value: ir.Value | None, count: int) -> bool:
    return value is not None and len(users(value)) == count and not value.is_graph_output()


def _is_activated(value: ir.Value) -> bool:
    """Whether one more activation is all that reads a value, or x times Sigmoid(x)."""
    readers = sorted(users(value), key=lambda each: each.op_type)
    if _has_readers(value, 1):
        return readers[0].op_type in FUSED
    if not _has_readers(value, 2) or [each.op_type for each in readers] != ["Mul", "Sigmoid"]:
        return False
    product, sigmoid = readers
    return sigmoid.outputs[0] in product.inputs


def _has_kernel(model: ir.Model, value: ir.Value, options: Options) -> bool:
    found, dtype = schema("Max", opset_of(model)), value.dtype or ir.DataType.FLOAT
    if options.table is None or found is None:
        return False
    return options.table.placement("Max", found.since, dtype.name.lower()) == "gpu"


def _least(node: ir.Node) -> float:
    """Return a number that no value of an activation is below, the largest that is known."""
    bounds = [constant(value) for value in node.inputs[1:3] if value is not None]
    known = [float(bound) for bound in bounds if bound is not None]
    if node.op_type == "Clip" and len(node.inputs) > 1 and node.inputs[1] is not None and len(known) == len(bounds):
        return min(known)  # an upper bound below the lower one wins
    return _LEAST.get(node.op_type, float(np.finfo(np.float32).min))


def _part(model: ir.Model, node: ir.Node) -> None:
    (value,) = node.outputs
    following = users(value)
    second = next(reader for reader in following if reader.op_type in FUSED)
    add = Builder(model.graph, second, f"{node.name or node.op_type}/apart")
    dtype = np.float32 if value.dtype is None else value.dtype.numpy()
    kept = add.op("Max", value, add.const(_least(node), dtype))
    for reader in following:
        for index, given in enumerate(reader.inputs):
            if given is value:
                reader.replace_input_with(index, kept)
