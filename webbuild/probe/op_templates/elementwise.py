"""Elementwise operators."""

from __future__ import annotations

import numpy as np

from webbuild.probe.op_template import OpTemplate, fixed_template, onnx_dtype, versioned_template

_MAP = (1, 4, 6, 6)
_RANDOM = versioned_template({1: OpTemplate((_MAP,), {"dtype": 1}, types={"T2": "float"})})
_ONE = """
Abs Acos Acosh Asin Asinh Atan Atanh Bernoulli BitwiseNot Ceil Celu Cos Cosh Dropout Elu Erf Exp Floor Gelu HardSigmoid
HardSwish Identity IsInf IsNaN LeakyRelu Log Mish Neg Not Reciprocal Relu Round Selu
Shrink Sigmoid Sign Sin Sinh Size Shape Softplus Softsign Sqrt Swish Tan Tanh ThresholdedRelu
"""
_TWO = """
Add And BitwiseAnd BitwiseOr BitwiseXor Div Equal Greater GreaterOrEqual Less LessOrEqual Max Mean Min Mul Or PRelu
Pow Sub Sum Xor
"""


def _fmod(dtype: str) -> int | None:
    """Mod of floats requires fmod = 1."""
    return 1 if dtype in ("float", "double", "float16", "bfloat16") else None


TEMPLATES = {
    **{op: fixed_template(_MAP) for op in _ONE.split()},
    **{op: fixed_template(_MAP, _MAP) for op in _TWO.split()},
    **dict.fromkeys(("RandomNormalLike", "RandomUniformLike"), _RANDOM),
    "BitCast": fixed_template(_MAP, to=onnx_dtype),
    "BitShift": fixed_template(_MAP, _MAP, direction="LEFT"),
    "Cast": fixed_template(_MAP, to=onnx_dtype),
    "CastLike": fixed_template(_MAP, (1,)),
    "Clip": versioned_template({1: OpTemplate((_MAP,), {"min": 0.0, "max": 6.0}), 11: OpTemplate((_MAP, (), ()))}),
    "CumProd": fixed_template(_MAP, np.array(1)),
    "CumSum": fixed_template(_MAP, np.array(1)),
    "Mod": fixed_template(_MAP, _MAP, fmod=_fmod),
    "Where": fixed_template(_MAP, _MAP, _MAP),
}
