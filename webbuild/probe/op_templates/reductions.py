"""Reductions, sorting and normalization."""

from __future__ import annotations

from webbuild.probe.op_template import OpTemplate, TemplateFactory, fixed_template, int64_list, versioned_template

_MAP = (1, 4, 6, 6)
_REDUCTIONS = ("L1", "L2", "LogSum", "LogSumExp", "Max", "Mean", "Min", "Prod", "Sum", "SumSquare")


def _reduction(name: str) -> TemplateFactory:
    """Return the template of a reduction: the axes are an input since opset 13 for ReduceSum, 18 for others."""
    change = 13 if name == "Sum" else 18
    return versioned_template({1: OpTemplate((_MAP,), {"axes": [1]}), change: OpTemplate((_MAP, int64_list(1)))})


TEMPLATES = {
    **{f"Reduce{name}": _reduction(name) for name in _REDUCTIONS},
    **{
        op: fixed_template(_MAP)
        for op in ("Hardmax", "LogSoftmax", "LpNormalization", "MeanVarianceNormalization", "Softmax")
    },
    "ArgMax": fixed_template(_MAP, axis=1),
    "ArgMin": fixed_template(_MAP, axis=1),
    "BatchNormalization": fixed_template(_MAP, (4,), (4,), (4,), (4,)),
    "GroupNormalization": versioned_template(
        {  # scale and bias per group before opset 21, then per channel
            18: OpTemplate((_MAP, (2,), (2,)), {"num_groups": 2}),
            21: OpTemplate((_MAP, (4,), (4,)), {"num_groups": 2}),
        }
    ),
    "InstanceNormalization": fixed_template(_MAP, (4,), (4,)),
    "LRN": fixed_template(_MAP, size=3),
    "LayerNormalization": fixed_template(_MAP, (6,)),
    "RMSNormalization": fixed_template(_MAP, (6,)),
    "TopK": versioned_template(
        {
            1: OpTemplate((_MAP,), {"k": 2, "axis": 1}, 2),
            10: OpTemplate((_MAP, int64_list(2)), {"axis": 1}, 2),
        }
    ),
}
