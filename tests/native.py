"""Runs a model on native ONNX Runtime without optimizations, followed by the runtime's suppression step."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import onnx
import onnx.reference
import onnx_ir as ir
import onnxruntime
from numpy.typing import NDArray
from onnxruntime.capi.onnxruntime_pybind11_state import NotImplemented as NoKernelError

from webbuild.runners.suppression import apply_suppression, read_suppression

_NUMPY: dict[str, type[np.generic]] = {
    "tensor(float)": np.float32,
    "tensor(double)": np.float64,
    "tensor(float16)": np.float16,
    "tensor(int64)": np.int64,
    "tensor(int32)": np.int32,
    "tensor(bool)": np.bool_,
    "tensor(uint8)": np.uint8,
    "tensor(uint32)": np.uint32,
    "tensor(int8)": np.int8,
}

Tensors = Mapping[str, NDArray[Any]]


class Session:
    """A model in memory, ready to run."""

    def __init__(self, model: onnx.ModelProto | ir.Model) -> None:
        proto = ir.to_proto(model) if isinstance(model, ir.Model) else model
        options = onnxruntime.SessionOptions()
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        options.intra_op_num_threads = 1
        options.log_severity_level = 3
        self._session = onnxruntime.InferenceSession(proto.SerializeToString(), options, ["CPUExecutionProvider"])
        self.types = {value.name: value.type for value in self._session.get_inputs()}
        self._outputs = [value.name for value in self._session.get_outputs()]
        self._suppression = read_suppression(self._session.get_modelmeta().custom_metadata_map, self._outputs)

    def run(self, feeds: Tensors) -> dict[str, NDArray[Any]]:
        """Return every output by name; feeds are cast to the input's type."""
        cast = {name: array.astype(_NUMPY[self.types[name]]) for name, array in feeds.items() if name in self.types}
        outputs = dict(zip(self._outputs, self._session.run(self._outputs, cast), strict=True))
        return outputs if self._suppression is None else apply_suppression(self._suppression, outputs, cast)


def random_feeds(model: ir.Model, seed: int) -> dict[str, NDArray[Any]]:
    """Return values for every input without a default: floats in -1..1, integers 0 and 1.

    An input named `scores` or `iou` has floats in 0..1, one whose name contains `sizes` integers of at least 30.
    """
    generator = np.random.default_rng(seed)
    feeds: dict[str, NDArray[Any]] = {}
    for value in model.graph.inputs:
        if value.is_initializer():
            continue
        assert value.name is not None
        assert value.shape is not None
        assert value.dtype is not None
        shape = [dim if isinstance(dim, int) else 1 for dim in value.shape]
        if value.dtype.is_floating_point():
            least = 0.0 if value.name in ("scores", "iou") else -1.0
            feeds[value.name] = generator.uniform(least, 1, shape).astype(np.float32).astype(value.dtype.numpy())
        else:
            low, high = (30, 90) if "sizes" in value.name else (0, 2)
            feeds[value.name] = generator.integers(low, high, shape).astype(value.dtype.numpy())
    return feeds


class Reference:
    """A model for which ONNX Runtime lacks kernels, run by ONNX's reference implementation."""

    def __init__(self, model: ir.Model) -> None:
        self._evaluator = onnx.reference.ReferenceEvaluator(ir.to_proto(model))

    def run(self, feeds: Tensors) -> dict[str, NDArray[Any]]:
        """Return every output by name."""
        names = self._evaluator.output_names
        return dict(zip(names, map(np.asarray, self._evaluator.run(None, dict(feeds))), strict=True))


def runner(model: ir.Model) -> Session | Reference:
    """Return a runner for the model: ONNX Runtime, or ONNX's reference implementation if a kernel is missing."""
    try:
        return Session(model)
    except NoKernelError:
        return Reference(model)
