"""Reference outputs of a probe from native ONNX Runtime, in a separate process, because some probes crash it.

If native ONNX Runtime has no kernel, ONNX's reference implementation in NumPy is used.
"""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import AbstractContextManager
from multiprocessing import get_context
from types import TracebackType

import numpy as np
import onnx

from webbuild.probe.probe_model import Array, Probe


class NativeProcess(AbstractContextManager["NativeProcess"]):
    """Runs probes one after the other; leaving the context ends the process."""

    def __init__(self) -> None:
        self._pool = _pool()

    def run(self, probe: Probe) -> dict[str, Array] | str:
        """Return the outputs by name, or why there are none; for a float16 probe the rounded float32 outputs."""
        exact = probe.exact or probe
        try:
            exact_outputs = self._pool.submit(reference_outputs, exact.model, exact.feeds).result()
        except BrokenProcessPool:
            self._pool = _pool()
            return "the process ended"
        if probe.exact is None or isinstance(exact_outputs, str):
            return exact_outputs
        with np.errstate(over="ignore"):
            outputs = onnx.load_model_from_string(probe.model).graph.output
            return {output.name: _as_declared(exact_outputs[output.name], output) for output in outputs}

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._pool.shutdown(cancel_futures=True)


def reference_version() -> str:
    """Return the name and version of the native reference."""
    import onnxruntime

    return f"onnxruntime {onnxruntime.__version__}"


def _pool() -> ProcessPoolExecutor:
    return ProcessPoolExecutor(max_workers=1, mp_context=get_context("spawn"))


def reference_outputs(model: bytes, feeds: dict[str, Array]) -> dict[str, Array] | str:
    """Return the outputs by name, or why there are none. A crash of ONNX Runtime ends this process."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    try:
        session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        return dict(zip([output.name for output in session.get_outputs()], session.run(None, feeds), strict=True))
    except Exception as error:
        return _onnx_reference_outputs(model, feeds) if "NOT_IMPLEMENTED" in str(error) else str(error)


def _as_declared(value: Array, output: onnx.ValueInfoProto) -> Array:
    """Return an output in its declared type: NumPy, and with it the reference, sums 32-bit integers to 64 bits."""
    return np.asarray(value).astype(onnx.helper.tensor_dtype_to_np_dtype(output.type.tensor_type.elem_type))


def _onnx_reference_outputs(model: bytes, feeds: dict[str, Array]) -> dict[str, Array] | str:
    from onnx.reference import ReferenceEvaluator

    try:
        proto = onnx.load_model_from_string(model)
        evaluator = ReferenceEvaluator(proto)
        outputs = zip(proto.graph.output, evaluator.run(None, feeds), strict=True)
        return {output.name: _as_declared(value, output) for output, value in outputs}
    except Exception as error:
        return f"neither native ONNX Runtime nor ONNX's reference computes it: {error}"
