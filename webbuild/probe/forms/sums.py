"""Operators that sum, order and normalise."""

from __future__ import annotations

from webbuild.probe.form import Form, FormOf, always, list_of

_MAP = (1, 4, 6, 6)
_REDUCTIONS = ("L1", "L2", "LogSum", "LogSumExp", "Max", "Mean", "Min", "Prod", "Sum", "SumSquare")


def _reduction(name: str) -> FormOf:
    """The axes became an input: of ReduceSum at opset 13, of the others at 18."""
    change = 13 if name == "Sum" else 18
    return lambda since: Form((_MAP, list_of(1))) if since >= change else Form((_MAP,), {"axes": [1]})


def _top(since: int) -> Form:
    return Form((_MAP, list_of(2)), {"axis": 1}, 2) if since >= 10 else Form((_MAP,), {"k": 2, "axis": 1}, 2)


def _group(since: int) -> Form:
    """Scale and bias are one for each group, and since opset 21 one for each channel."""
    count = 4 if since >= 21 else 2
    return Form((_MAP, (count,), (count,)), {"num_groups": 2})


FORMS = {
    **{f"Reduce{name}": _reduction(name) for name in _REDUCTIONS},
    **{op: always(_MAP) for op in ("Hardmax", "LogSoftmax", "LpNormalization", "MeanVarianceNormalization", "Softmax")},
    "ArgMax": always(_MAP, axis=1),
    "ArgMin": always(_MAP, axis=1),
    "BatchNormalization": always(_MAP, (4,), (4,), (4,), (4,)),
    "GroupNormalization": _group,
    "InstanceNormalization": always(_MAP, (4,), (4,)),
    "LRN": always(_MAP, size=3),
    "LayerNormalization": always(_MAP, (6,)),
    "RMSNormalization": always(_MAP, (6,)),
    "TopK": _top,
}
