"""Operators that move elements and compute none."""

from __future__ import annotations

from typing import Any

from onnx import TensorProto, helper

from webbuild.probe.op_template import OpTemplate, fixed_template, int64_list, onnx_dtype

_MAP = (1, 4, 6, 6)


def _axes(shape: tuple[int, ...], since: int) -> OpTemplate:
    """Squeeze and Unsqueeze: the axes became an input."""
    return OpTemplate((shape, int64_list(0))) if since >= 13 else OpTemplate((shape,), {"axes": [0]})


def _split(since: int) -> OpTemplate:
    if since >= 18:
        return OpTemplate((_MAP,), {"axis": 1, "num_outputs": 2}, 2)
    return (
        OpTemplate((_MAP, int64_list(2, 2)), {"axis": 1}, 2)
        if since >= 13
        else OpTemplate((_MAP,), {"axis": 1, "split": [2, 2]}, 2)
    )


def _slice(since: int) -> OpTemplate:
    if since >= 10:
        return OpTemplate((_MAP, int64_list(0), int64_list(2), int64_list(1), int64_list(1)))
    return OpTemplate((_MAP,), {"axes": [1], "starts": [0], "ends": [2]})


def _pad(since: int) -> OpTemplate:
    pads = [0, 0, 1, 1, 0, 0, 1, 1]
    return OpTemplate((_MAP, int64_list(*pads))) if since >= 11 else OpTemplate((_MAP,), {"pads": pads})


def element(dtype: str, name: str = "value") -> TensorProto:
    """Return a tensor of one element that is part of the model."""
    value: Any = b"a" if dtype == "string" else 1
    return helper.make_tensor(name, onnx_dtype(dtype), [1], [value])


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
    "Pad": _pad,
    "Range": fixed_template((), (), ()),
    "Reshape": fixed_template(_MAP, int64_list(1, -1)),
    "ReverseSequence": fixed_template((4, 2, 3), (2,)),
    "Scatter": fixed_template(_MAP, (1, 2, 6, 6), (1, 2, 6, 6), axis=1),
    "ScatterElements": fixed_template(_MAP, (1, 2, 6, 6), (1, 2, 6, 6), axis=1),
    "ScatterND": fixed_template(_MAP, (2, 2), (2, 6, 6)),
    "Slice": _slice,
    "SpaceToDepth": fixed_template(_MAP, blocksize=2),
    "Split": _split,
    "Squeeze": lambda since: _axes((1, 4, 6), since),
    "TensorScatter": fixed_template((1, 8, 4), (1, 2, 4)),
    "Tile": fixed_template(_MAP, int64_list(1, 2, 1, 1)),
    "Transpose": fixed_template(_MAP, perm=[0, 2, 3, 1]),
    "Trilu": fixed_template((1, 4, 4), upper=1),
    "Unique": fixed_template(_MAP),
    "Unsqueeze": lambda since: _axes((4, 6), since),
}
