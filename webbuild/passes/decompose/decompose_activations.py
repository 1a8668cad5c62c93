from __future__ import annotations

import onnx_ir as ir

from webbuild.passes.decompose.base import Decomposers, Decomposition, RewriteContext


class DecomposeActivations(Decomposition):
    """`Sign`, `Elu`, `Selu` and other activations without a GPU kernel -> comparisons, `Exp` and arithmetic.

        Sign(x)             ->  Where(x > 0, 1, Where(x < 0, -1, 0))
        Softsign(x)         ->  x / (|x| + 1)
        Elu(x)              ->  Where(x > 0, x, alpha (exp(x) - 1))
        Celu(x)             ->  Where(x > 0, x, alpha (exp(x / alpha) - 1))
        Selu(x)             ->  gamma Elu(x)
        HardSigmoid(x)      ->  Clip(alpha x + beta, 0, 1)
        HardSwish(x)        ->  x HardSigmoid(x),  alpha = 1/6, beta = 1/2
        ThresholdedRelu(x)  ->  Where(x > alpha, x, 0)
        Shrink(x)           ->  Where(x < -lambd, x + bias, Where(x > lambd, x - bias, 0))

    Why: Sign, Softsign, Selu, Celu and Shrink have no GPU kernel in any opset. Elu, HardSigmoid, HardSwish and
    ThresholdedRelu have none from opset 22 on. One of them on the CPU costs two copies of the whole tensor.

    How: each by its definition. Sign, Shrink and ThresholdedRelu are exact, except that Sign of NaN becomes 0. The
    others are accurate to 1e-6 of the largest value.

    Source: ONNX's operator texts.
    """

    code = "decompose-activations"
    tolerance = 1e-6

    def decomposers(self) -> Decomposers:
        return {
            "Sign": _sign,
            "Softsign": _softsign,
            "Elu": _elu,
            "Celu": _celu,
            "Selu": _selu,
            "HardSigmoid": _hard_sigmoid,
            "HardSwish": _hard_swish,
            "ThresholdedRelu": _thresholded_relu,
            "Shrink": _shrink,
        }


def _sign(add: RewriteContext, node: ir.Node) -> ir.Value:
    x = node.inputs[0]
    zero, one, less = add.like(x, 0), add.like(x, 1), add.like(x, -1)
    return add.op("Where", add.op("Greater", x, zero), one, add.op("Where", add.op("Less", x, zero), less, zero))


def _softsign(add: RewriteContext, node: ir.Node) -> ir.Value:
    x = node.inputs[0]
    return add.op("Div", x, add.op("Add", add.op("Abs", x), add.like(x, 1)))


def _exp_linear(add: RewriteContext, x: ir.Value | None, alpha: float, scale: float) -> ir.Value:
    """Return x where x > 0, else alpha * (exp(x / scale) - 1)."""
    zero, one = add.like(x, 0), add.like(x, 1)
    # Exp of min(x, 0): Where computes both branches, and exp of a large x is infinite
    low = add.op("Min", x, zero)
    if scale != 1:
        low = add.op("Div", low, add.like(x, scale))
    curve = add.op("Mul", add.op("Sub", add.op("Exp", low), one), add.like(x, alpha))
    return add.op("Where", add.op("Greater", x, zero), x, curve)


def _elu(add: RewriteContext, node: ir.Node) -> ir.Value:
    return _exp_linear(add, node.inputs[0], node.attributes.get_float("alpha", 1.0), 1.0)


def _celu(add: RewriteContext, node: ir.Node) -> ir.Value:
    alpha = node.attributes.get_float("alpha", 1.0)
    return _exp_linear(add, node.inputs[0], alpha, alpha)


def _selu(add: RewriteContext, node: ir.Node) -> ir.Value:
    alpha = node.attributes.get_float("alpha", 1.67326319217681884765625)
    gamma = node.attributes.get_float("gamma", 1.05070102214813232421875)
    bent = _exp_linear(add, node.inputs[0], alpha, 1.0)
    return add.op("Mul", bent, add.like(node.inputs[0], gamma))


def _clipped_line(add: RewriteContext, x: ir.Value | None, alpha: float, beta: float) -> ir.Value:
    """Return alpha * x + beta, clamped to 0..1."""
    line = add.op("Add", add.op("Mul", x, add.like(x, alpha)), add.like(x, beta))
    return add.op("Clip", line, add.like(x, 0), add.like(x, 1))


def _hard_sigmoid(add: RewriteContext, node: ir.Node) -> ir.Value:
    alpha, beta = node.attributes.get_float("alpha", 0.2), node.attributes.get_float("beta", 0.5)
    return _clipped_line(add, node.inputs[0], alpha, beta)


def _hard_swish(add: RewriteContext, node: ir.Node) -> ir.Value:
    return add.op("Mul", node.inputs[0], _clipped_line(add, node.inputs[0], 1 / 6, 0.5))


def _thresholded_relu(add: RewriteContext, node: ir.Node) -> ir.Value:
    x = node.inputs[0]
    above = add.op("Greater", x, add.like(x, node.attributes.get_float("alpha", 1.0)))
    return add.op("Where", above, x, add.like(x, 0))


def _shrink(add: RewriteContext, node: ir.Node) -> ir.Value:
    x = node.inputs[0]
    edge, bias = node.attributes.get_float("lambd", 0.5), node.attributes.get_float("bias", 0.0)
    low, high = add.op("Add", x, add.like(x, bias)), add.op("Sub", x, add.like(x, bias))
    above = add.op("Where", add.op("Greater", x, add.like(x, edge)), high, add.like(x, 0))
    return add.op("Where", add.op("Less", x, add.like(x, -edge)), low, above)
