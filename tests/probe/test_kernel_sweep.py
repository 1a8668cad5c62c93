"""The sweep probes every kernel with a model that native ONNX Runtime accepts."""

from __future__ import annotations

from collections import Counter

import onnx
import onnxruntime as ort
import pytest
from onnxruntime.capi import onnxruntime_pybind11_state as ort_errors

from webbuild.probe.kernel_sweep import KernelProbe, kernel_probes

INVALID = ("sweep/ReduceLogSum 18 uint", "sweep/SoftmaxCrossEntropyLoss 13 bfloat16", "sweep/ConstantOfShape 2")
"""ONNX's own definition of the first two is invalid; ONNX Runtime's kernel refuses the types of the third."""


@pytest.fixture(scope="module")
def swept() -> list[KernelProbe]:
    return list(kernel_probes())


def test_each_is_asked_once(swept: list[KernelProbe]) -> None:
    counts = Counter((each.probe.op, each.schema_version, each.dtype) for each in swept)
    assert max(counts.values()) == 1
    assert len({op for op, _, _ in counts}) > 195


def test_a_probe_stands_for_the_version_that_it_says(swept: list[KernelProbe]) -> None:
    for each in swept:
        assert onnx.defs.get_schema(each.probe.op, each.probe.opset, "").since_version == each.schema_version
    opsets = {(each.probe.op, each.schema_version): each.probe.opset for each in swept}
    assert opsets["MaxPool", 12] == 17
    assert opsets["MaxPool", 22] == 22
    assert ("Abs", 1) not in opsets


def test_types(swept: list[KernelProbe]) -> None:
    where = {each.dtype for each in swept if each.probe.op == "Where"}
    assert {"float", "bool", "int64"} < where
    casts = {each.dtype for each in swept if each.probe.op == "Cast"}
    assert {"float->int64", "bool->float"} < casts
    assert {each.dtype for each in swept if each.probe.op == "NonMaxSuppression"} == {"-"}


def test_native_makes_a_session_or_has_no_kernel(swept: list[KernelProbe]) -> None:
    """No other error: an invalid model would look like a missing kernel."""
    ort.set_default_logger_severity(4)
    one_thread = ort.SessionOptions()
    one_thread.intra_op_num_threads = 1  # starting more of them takes as long as the session itself
    made, refused = 0, list[str]()
    for each in swept:
        try:
            ort.InferenceSession(each.probe.model, one_thread, providers=["CPUExecutionProvider"])
            made += 1
        except (ort_errors.Fail, ort_errors.InvalidGraph, ort_errors.NotImplemented) as error:
            refused.append(f"{each.probe.name}: {error}")
    assert [line for line in refused if "NOT_IMPLEMENTED" not in line and not line.startswith(INVALID)] == []
    assert made > 4500
