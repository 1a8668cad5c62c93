"""Operators that go through a tensor number by number."""

from __future__ import annotations

import numpy as np

from webbuild.probe.form import Form, always, code

_MAP = (1, 4, 6, 6)
_ONE = """
Abs Acos Acosh Asin Asinh Atan Atanh Bernoulli BitwiseNot Ceil Celu Cos Cosh Dropout Elu Erf Exp Floor Gelu HardSigmoid
HardSwish Identity IsInf IsNaN LeakyRelu Log Mish Neg Not Reciprocal Relu Round Selu
Shrink Sigmoid Sign Sin Sinh Size Shape Softplus Softsign Sqrt Swish Tan Tanh ThresholdedRelu
"""
_TWO = """
Add And BitwiseAnd BitwiseOr BitwiseXor Div Equal Greater GreaterOrEqual Less LessOrEqual Max Mean Min Mul Or PRelu
Pow Sub Sum Xor
"""


def _clip(since: int) -> Form:
    return Form((_MAP, (), ())) if since >= 11 else Form((_MAP,), {"min": 0.0, "max": 6.0})


def _random(_since: int) -> Form:
    return Form((_MAP,), {"dtype": 1}, types={"T2": "float"})


def _fmod(dtype: str) -> int | None:
    """What is left of a division of fractions is asked for by name."""
    return 1 if dtype in ("float", "double", "float16", "bfloat16") else None


FORMS = {
    **{op: always(_MAP) for op in _ONE.split()},
    **{op: always(_MAP, _MAP) for op in _TWO.split()},
    **dict.fromkeys(("RandomNormalLike", "RandomUniformLike"), _random),
    "BitCast": always(_MAP, to=code),
    "BitShift": always(_MAP, _MAP, direction="LEFT"),
    "Cast": always(_MAP, to=code),
    "CastLike": always(_MAP, (1,)),
    "Clip": _clip,
    "CumProd": always(_MAP, np.array(1)),
    "CumSum": always(_MAP, np.array(1)),
    "Mod": always(_MAP, _MAP, fmod=_fmod),
    "Where": always(_MAP, _MAP, _MAP),
}
