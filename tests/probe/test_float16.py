"""Float32 probes in float16: what is converted, what stays, and the reference for the outputs."""

from __future__ import annotations

import numpy as np
import onnx
from onnx import TensorProto

from webbuild.probe.cases.float16 import to_float16
from webbuild.probe.native_process import NativeProcess
from webbuild.probe.probe_model import Initializer, int64s, make_probe, scalar

X = np.linspace(-2, 2, 32, dtype=np.float32).reshape(1, 2, 4, 4)
SCALES = Initializer(np.array([1, 1, 2, 2], np.float32))


def test_scales_and_pads_stay_as_packs_leave_them() -> None:
    half = to_float16(make_probe("Resize", X, None, SCALES, mode="cubic"))
    assert half is not None
    graph = onnx.load_model_from_string(half.model).graph
    assert [value.type.tensor_type.elem_type for value in (*graph.input, *graph.output)] == [TensorProto.FLOAT16] * 2
    assert [tensor.data_type for tensor in graph.initializer] == [TensorProto.FLOAT]
    assert half.feeds["x0"].dtype == np.float16
    pad = to_float16(make_probe("Pad", X, int64s(0, 0, 1, 1, 0, 0, 1, 1), scalar(3)))
    assert pad is not None
    held = {tensor.name: tensor.data_type for tensor in onnx.load_model_from_string(pad.model).graph.initializer}
    assert held == {"x1": TensorProto.INT64, "x2": TensorProto.FLOAT16}


def test_what_has_no_such_form_or_no_such_numbers_is_left_out() -> None:
    assert to_float16(make_probe("Relu", X.astype(np.int32))) is None
    assert to_float16(make_probe("Exp", np.array([1e30], np.float32))) is None
    assert to_float16(make_probe("Exp", np.array([np.inf], np.float32))) is not None


def test_the_reference_computes_rounded_numbers_in_float32() -> None:
    half = to_float16(make_probe("Mul", np.array([1 / 3], np.float32), scalar(1 / 3)))
    assert half is not None
    third = np.float32(np.float16(1 / 3))
    with NativeProcess() as native:
        found = native.run(half)
    assert isinstance(found, dict)
    assert found["y0"].dtype == np.float16
    assert found["y0"][0] == np.float16(third * third)
