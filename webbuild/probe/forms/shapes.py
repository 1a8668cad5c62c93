"""Operators that move elements and compute none."""

from __future__ import annotations

from typing import Any

from onnx import TensorProto, helper

from webbuild.probe.form import Form, always, code, list_of

_MAP = (1, 4, 6, 6)


def _axes(shape: tuple[int, ...], since: int) -> Form:
    """Squeeze and Unsqueeze: the axes became an input."""
    return Form((shape, list_of(0))) if since >= 13 else Form((shape,), {"axes": [0]})


def _split(since: int) -> Form:
    if since >= 18:
        return Form((_MAP,), {"axis": 1, "num_outputs": 2}, 2)
    return (
        Form((_MAP, list_of(2, 2)), {"axis": 1}, 2) if since >= 13 else Form((_MAP,), {"axis": 1, "split": [2, 2]}, 2)
    )


def _slice(since: int) -> Form:
    if since >= 10:
        return Form((_MAP, list_of(0), list_of(2), list_of(1), list_of(1)))
    return Form((_MAP,), {"axes": [1], "starts": [0], "ends": [2]})


def _pad(since: int) -> Form:
    pads = [0, 0, 1, 1, 0, 0, 1, 1]
    return Form((_MAP, list_of(*pads))) if since >= 11 else Form((_MAP,), {"pads": pads})


def element(dtype: str, name: str = "value") -> TensorProto:
    """Return a tensor of one element that is part of the model."""
    value: Any = b"a" if dtype == "string" else 1
    return helper.make_tensor(name, code(dtype), [1], [value])


FORMS = {
    "CenterCropPad": always(_MAP, list_of(1, 4, 4, 4)),
    "Compress": always(_MAP, (4,), axis=1),
    "Concat": always(_MAP, _MAP, axis=1),
    "ConstantOfShape": always((2,), value=element),
    "DepthToSpace": always(_MAP, blocksize=2),
    "Expand": always((1, 4, 1, 6), list_of(1, 4, 6, 6)),
    "EyeLike": always((3, 3)),
    "Flatten": always(_MAP),
    "Gather": always(_MAP, (2,), axis=1),
    "GatherElements": always(_MAP, (1, 2, 6, 6), axis=1),
    "GatherND": always(_MAP, (2, 2)),
    "NonZero": always(_MAP),
    "OneHot": always((2, 3), (), (2,)),
    "Pad": _pad,
    "Range": always((), (), ()),
    "Reshape": always(_MAP, list_of(1, -1)),
    "ReverseSequence": always((4, 2, 3), (2,)),
    "Scatter": always(_MAP, (1, 2, 6, 6), (1, 2, 6, 6), axis=1),
    "ScatterElements": always(_MAP, (1, 2, 6, 6), (1, 2, 6, 6), axis=1),
    "ScatterND": always(_MAP, (2, 2), (2, 6, 6)),
    "Slice": _slice,
    "SpaceToDepth": always(_MAP, blocksize=2),
    "Split": _split,
    "Squeeze": lambda since: _axes((1, 4, 6), since),
    "TensorScatter": always((1, 8, 4), (1, 2, 4)),
    "Tile": always(_MAP, list_of(1, 2, 1, 1)),
    "Transpose": always(_MAP, perm=[0, 2, 3, 1]),
    "Trilu": always((1, 4, 4), upper=1),
    "Unique": always(_MAP),
    "Unsqueeze": lambda since: _axes((4, 6), since),
}
