"""Data movement operators."""

from __future__ import annotations

from typing import Any

from onnx import TensorProto, helper

from webbuild.probe.op_template import (
    OpTemplate,
    TemplateFactory,
    fixed_template,
    int64_list,
    onnx_dtype,
    versioned_template,
)

_MAP = (1, 4, 6, 6)
_PADS = (0, 0, 1, 1, 0, 0, 1, 1)


def element(dtype: str, name: str = "value") -> TensorProto:
    """Return an initializer with one element."""
    value: Any = b"a" if dtype == "string" else 1
    return helper.make_tensor(name, onnx_dtype(dtype), [1], [value])


def _axes(shape: tuple[int, ...]) -> TemplateFactory:
    """Return the template of an operator whose axes are an input since opset 13."""
    return versioned_template({1: OpTemplate((shape,), {"axes": [0]}), 13: OpTemplate((shape, int64_list(0)))})


TEMPLATES = {
    "CenterCropPad": fixed_template(_MAP, int64_list(1, 4, 4, 4)),
    "Compress": fixed_template(_MAP, (4,), axis=1),
    "Concat": fixed_template(_MAP, _MAP, axis=1),
    "ConstantOfShape": fixed_template((2,), value=element),
    "DepthToSpace": fixed_template(_MAP, blocksize=2),
    "Expand": fixed_template((1, 4, 1, 6), int64_list(1, 4, 6, 6)),
    "EyeLike": fixed_template((3, 3)),
    "Flatten": fixed_template(_MAP),
    "Gather": fixed_template(_MAP, (2,), axis=1),
    "GatherElements": fixed_template(_MAP, (1, 2, 6, 6), axis=1),
    "GatherND": fixed_template(_MAP, (2, 2)),
    "NonZero": fixed_template(_MAP),
    "OneHot": fixed_template((2, 3), (), (2,)),
    "Pad": versioned_template(
        {
            1: OpTemplate((_MAP,), {"pads": _PADS}),
            11: OpTemplate((_MAP, int64_list(*_PADS))),
        }
    ),
    "Range": fixed_template((), (), ()),
    "Reshape": fixed_template(_MAP, int64_list(1, -1)),
    "ReverseSequence": fixed_template((4, 2, 3), (2,)),
    "Scatter": fixed_template(_MAP, (1, 2, 6, 6), (1, 2, 6, 6), axis=1),
    "ScatterElements": fixed_template(_MAP, (1, 2, 6, 6), (1, 2, 6, 6), axis=1),
    "ScatterND": fixed_template(_MAP, (2, 2), (2, 6, 6)),
    "Slice": versioned_template(
        {
            1: OpTemplate((_MAP,), {"axes": [1], "starts": [0], "ends": [2]}),
            10: OpTemplate((_MAP, int64_list(0), int64_list(2), int64_list(1), int64_list(1))),
        }
    ),
    "SpaceToDepth": fixed_template(_MAP, blocksize=2),
    "Split": versioned_template(
        {
            1: OpTemplate((_MAP,), {"axis": 1, "split": [2, 2]}, 2),
            13: OpTemplate((_MAP, int64_list(2, 2)), {"axis": 1}, 2),
            18: OpTemplate((_MAP,), {"axis": 1, "num_outputs": 2}, 2),
        }
    ),
    "Squeeze": _axes((1, 4, 6)),
    "TensorScatter": fixed_template((1, 8, 4), (1, 2, 4)),
    "Tile": fixed_template(_MAP, int64_list(1, 2, 1, 1)),
    "Transpose": fixed_template(_MAP, perm=[0, 2, 3, 1]),
    "Trilu": fixed_template((1, 4, 4), upper=1),
    "Unique": fixed_template(_MAP),
    "Unsqueeze": _axes((4, 6)),
}
