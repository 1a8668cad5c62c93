"""Two activations behind a Conv, of which the engine would lose the first."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir

from webbuild.passes._base import Edit, Options, Pass
from webbuild.passes._graph import Builder, constant, dims, nodes_of, opset_of, users
from webbuild.targets.schema import schema

FUSED = (
    *("Relu", "Sigmoid", "Tanh", "Clip", "LeakyRelu", "HardSigmoid", "HardSwish", "Softplus", "Elu", "ThresholdedRelu"),
    *("Gelu", "QuickGelu", "Erf"),
)
"""What the engine's optimiser makes part of the Conv before it; SiLU and Gelu of several nodes too."""
_LEAST = {"Relu": 0.0, "Sigmoid": 0.0, "Tanh": -1.0, "HardSigmoid": 0.0}


class ActivationsApart(Pass):
    """Puts a Max between two activations behind a Conv, where the engine would lose the first of them.

    Why: onnxruntime-web's optimiser makes an activation part of the Conv before it, and then the next one too, though
    there is room for one: Relu and then Sigmoid gives the Sigmoid alone, Relu and then x times Sigmoid(x) the SiLU
    alone, and nothing says so. So with HardSwish, Softplus, Elu, Gelu of one node or of five, ThresholdedRelu, Erf, and
    where a factor for each channel, which is folded into the Conv, stands before the first.

    How: Max with the least value that the first activation can give changes no number, and is not fused. It costs
    one pass over the tensor.
    """

    code = "activations-apart"
    after = ("fold-constants", "lower-opset", "simpler-activations")
    target = "webgpu"

    def apply(self, model: ir.Model, options: Options) -> list[Edit]:
        """Put a Max behind each first activation."""
        edits = []
        for node in nodes_of(model, "Conv"):
            value = lost_behind(node)
            first = None if value is None else value.producer()
            if value is None or first is None:
                continue
            where = f"{first.op_type} '{first.name}'"
            if not _has_kernel(model, value, options):
                edits.append(self.left(where, "lost between a Conv and another activation; Max has no GPU kernel here"))
                continue
            _part(model, value, first)
            edits.append(self.done(where, "kept between a Conv and another activation by a Max with its least value"))
        return edits


def lost_behind(conv: ir.Node) -> ir.Value | None:
    """Return what an activation behind a Conv gives, if that is lost for another one behind it."""
    begin = _folded(conv)
    value = _end(begin)
    if value is None or value.is_graph_output() or begin.is_graph_output():
        return None
    readers = users(value)
    one = len(readers) == 1 and readers[0].op_type in FUSED
    return value if one or _opening(readers) is not None else None


def _folded(conv: ir.Node) -> ir.Value:
    """Return what a Conv gives with the factors, terms and normalisation behind it that the engine folds into it."""
    value, weights = conv.outputs[0], dims(conv.inputs[1])
    while not value.is_graph_output() and len(readers := users(value)) == 1:
        node = readers[0]
        stored = [array for each in node.inputs if (array := constant(each)) is not None]
        sizes = {array.size for array in stored} - {weights[0] if weights else 0}
        folds = node.op_type == "BatchNormalization" and not sizes and len(stored) == 4
        if not folds and not (node.op_type in ("Mul", "Add") and len(stored) == 1 and sizes <= {1}):
            break
        value = node.outputs[0]
    return value


def _end(value: ir.Value) -> ir.Value | None:
    """Return where an activation ends that is all that reads a value, None if there is none."""
    readers = users(value)
    if len(readers) == 1:
        return readers[0].outputs[0] if readers[0].op_type in FUSED else None
    inner = _opening(readers)
    if inner is None:
        return None
    while inner.op_type not in ("Sigmoid", "Erf"):
        inner = users(inner.outputs[0])[0]
    result, behind = None, users(inner.outputs[0])
    while len(behind) == 1 and behind[0].op_type in ("Add", "Mul") and _goes_on(behind[0], value, inner):
        inner, result = behind[0], behind[0].outputs[0]
        behind = users(result)
    return result


def _opening(readers: list[ir.Node]) -> ir.Node | None:
    """Return the node with which a SiLU or a Gelu begins, of the two that read the same value: the other is its Mul."""
    for first, other in (readers, readers[::-1]) if len(readers) == 2 else ():
        if other.op_type == "Mul" and _begins(first):
            return first
    return None


def _begins(node: ir.Node) -> bool:
    """Whether a SiLU or a Gelu begins with a node: both may scale first."""
    if node.op_type in ("Sigmoid", "Erf"):
        return True
    behind = users(node.outputs[0]) if node.op_type in ("Mul", "Div") else []
    scales = any(constant(value) is not None for value in node.inputs)
    return scales and len(behind) == 1 and behind[0].op_type in ("Sigmoid", "Erf")


def _goes_on(node: ir.Node, value: ir.Value, before: ir.Node) -> bool:
    """Whether a node brings in nothing but numbers and the value that is activated, as it is or scaled."""
    others = [each for each in node.inputs if each is not None and each is not before.outputs[0]]
    makers = [each.producer() for each in others]
    scaled = [maker is not None and maker.op_type == "Mul" and value in maker.inputs for maker in makers]
    return all(each is value or constant(each) is not None or of for each, of in zip(others, scaled, strict=True))


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


def _part(model: ir.Model, value: ir.Value, first: ir.Node) -> None:
    following = users(value)
    place = next(node for node in model.graph if node in following)
    add = Builder(model.graph, place, f"{first.name or first.op_type}/apart")
    dtype = np.float32 if value.dtype is None else value.dtype.numpy()
    kept = add.op("Max", value, add.const(_least(first), dtype))
    for reader in following:
        for index, given in enumerate(reader.inputs):
            if given is value:
                reader.replace_input_with(index, kept)
