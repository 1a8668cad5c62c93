from __future__ import annotations

import numpy as np
import onnx_ir as ir

from webbuild.passes.builder import Builder
from webbuild.passes.rewrite import constant, consumers, fusable_consumers, opset_version, static_shape
from webbuild.passes.workarounds.base import DefectContext, PassContext, Symptom, Workaround
from webbuild.targets.schema import find_schema

FUSABLE_ACTIVATIONS = (
    *("Relu", "Sigmoid", "Tanh", "Clip", "LeakyRelu", "HardSigmoid", "HardSwish", "Softplus", "Elu", "ThresholdedRelu"),
    *("Gelu", "QuickGelu", "Erf"),
)
"""Activations that the engine's optimizer fuses into a preceding Conv; SiLU and Gelu of several nodes too."""
_LOWER_BOUND = {"Relu": 0.0, "Sigmoid": 0.0, "Tanh": -1.0, "HardSigmoid": 0.0}


class BlockDoubleActivationFusion(Workaround):
    """B(A(Conv(x, w))) -> B(Max(A(Conv(x, w)), least value of A)), A and B activations.

    Defect: the answer is wrong: of two consecutive activations after a Conv, the engine drops the first.

    Why: the engine's optimizer fuses both activations into the Conv, which supports only one. Relu, then Sigmoid gives
    Sigmoid alone. Relu, then x times Sigmoid(x) gives SiLU alone. With graphOptimizationLevel `disabled` the answer is
    right.

    - Fused too: Tanh, Clip, LeakyRelu, HardSigmoid, HardSwish, Softplus, Elu, Gelu of one node or of five,
      ThresholdedRelu and Erf.
    - Not fused: PRelu, Selu, Celu, Softsign, Mish, Exp and arithmetic.
    - A factor per channel before the first activation changes nothing: the engine folds it into the Conv.

    Limits: Max must have a GPU kernel for the type. It costs one pass over the tensor.

    Exact: Max with the least value that A can give changes no number.

    Source: measured on 1.30.0.
    """

    code = "block-double-activation-fusion"
    finding = "double-activation-fusion"
    after = ("fold-constants", "downgrade-opset", "decompose-activations")
    operators = ("Conv",)
    outcome = "wrong"
    fix = "put something in between that is not fused, such as Max with 0 for Relu"
    probe = "conv_of_two_activations"

    def affects(self, node: ir.Node, context: DefectContext) -> Symptom | None:
        value = _lost_activation(node)
        first = None if value is None else value.producer()
        if first is None or not context.on_gpu(first):
            return None
        return Symptom(f"the optimizer loses {first.op_type} between it and another activation")

    def refusal(self, node: ir.Node, context: DefectContext) -> str | None:
        if _has_max(_lost_activation(node), context):
            return None
        return "the engine drops its first activation, and Max has no GPU kernel here"

    def rewrite(self, node: ir.Node, context: PassContext) -> str:
        value = _lost_activation(node)
        first = None if value is None else value.producer()
        assert value is not None
        assert first is not None
        _insert_max(context.model, value, first)
        return f"{first.op_type} '{first.name}' is kept from another activation by a Max with its least value"


def _lost_activation(conv: ir.Node) -> ir.Value | None:
    """Return the output of the first activation after a Conv, if the engine drops it for a second one."""
    begin = _after_foldable_ops(conv)
    value = _activation_output(begin)
    if value is None or value.is_graph_output() or begin.is_graph_output():
        return None
    readers = fusable_consumers(value)
    one = len(readers) == 1 and readers[0].op_type in FUSABLE_ACTIVATIONS
    return value if one or _first_of_pair(readers) is not None else None


def _after_foldable_ops(conv: ir.Node) -> ir.Value:
    """Return the output of a Conv and the Mul, Add and BatchNormalization that the engine folds into it."""
    value, weights = conv.outputs[0], static_shape(conv.inputs[1])
    while not value.is_graph_output() and len(readers := fusable_consumers(value)) == 1:
        node = readers[0]
        stored = [array for each in node.inputs if (array := constant(each)) is not None]
        sizes = {array.size for array in stored} - {weights[0] if weights else 0}
        folds = node.op_type == "BatchNormalization" and not sizes and len(stored) == 4
        if not folds and not (node.op_type in ("Mul", "Add") and len(stored) == 1 and sizes <= {1}):
            break
        value = node.outputs[0]
    return value


def _activation_output(value: ir.Value) -> ir.Value | None:
    """Return the output of the activation that is the only reader of a value, None if there is none."""
    readers = fusable_consumers(value)
    if len(readers) == 1:
        return readers[0].outputs[0] if readers[0].op_type in FUSABLE_ACTIVATIONS else None
    inner = _first_of_pair(readers)
    if inner is None:
        return None
    while inner.op_type not in ("Sigmoid", "Erf"):
        inner = fusable_consumers(inner.outputs[0])[0]
    result, after = None, fusable_consumers(inner.outputs[0])
    while len(after) == 1 and after[0].op_type in ("Add", "Mul") and _continues_activation(after[0], value, inner):
        inner, result = after[0], after[0].outputs[0]
        after = fusable_consumers(result)
    return result


def _first_of_pair(readers: list[ir.Node]) -> ir.Node | None:
    """Return the first node of a SiLU or Gelu, given the two readers of its input; the other reader is its Mul."""
    for first, other in (readers, readers[::-1]) if len(readers) == 2 else ():
        if other.op_type == "Mul" and _starts_activation(first):
            return first
    return None


def _starts_activation(node: ir.Node) -> bool:
    """Whether a node begins a SiLU or a Gelu; both may scale first."""
    if node.op_type in ("Sigmoid", "Erf"):
        return True
    after = fusable_consumers(node.outputs[0]) if node.op_type in ("Mul", "Div") else []
    scales = any(constant(value) is not None for value in node.inputs)
    return scales and len(after) == 1 and after[0].op_type in ("Sigmoid", "Erf")


def _continues_activation(node: ir.Node, value: ir.Value, before: ir.Node) -> bool:
    """Whether a node's other operands are constants or the activated value, scaled or not."""
    others = [each for each in node.inputs if each is not None and each is not before.outputs[0]]
    makers = [each.producer() for each in others]
    scaled = [maker is not None and maker.op_type == "Mul" and value in maker.inputs for maker in makers]
    return all(each is value or constant(each) is not None or of for each, of in zip(others, scaled, strict=True))


def _has_max(value: ir.Value | None, context: DefectContext) -> bool:
    schema, dtype = find_schema("Max", opset_version(context.model)), None if value is None else value.dtype
    if context.table is None or schema is None:
        return False
    return context.table.placement("Max", schema.since, (dtype or ir.DataType.FLOAT).name.lower()) == "gpu"


def _lower_bound(node: ir.Node) -> float:
    """Return the largest known lower bound of an activation's values."""
    bounds = [constant(value) for value in node.inputs[1:3] if value is not None]
    known = [float(bound) for bound in bounds if bound is not None]
    if node.op_type == "Clip" and len(node.inputs) > 1 and node.inputs[1] is not None and len(known) == len(bounds):
        return min(known)  # an upper bound below the lower one wins
    return _LOWER_BOUND.get(node.op_type, float(np.finfo(np.float32).min))


def _insert_max(model: ir.Model, value: ir.Value, first: ir.Node) -> None:
    following = consumers(value)
    first_reader = next(node for node in model.graph if node in following)
    add = Builder(model.graph, first_reader, f"{first.name or first.op_type}/apart")
    dtype = np.float32 if value.dtype is None else value.dtype.numpy()
    maximum = add.op("Max", value, add.const(_lower_bound(first), dtype))
    for reader in following:
        for index, operand in enumerate(reader.inputs):
            if operand is value:
                reader.replace_input_with(index, maximum)
