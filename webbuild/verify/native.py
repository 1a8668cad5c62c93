"""The reference: native ONNX Runtime on the CPU, with its optimisations off."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from webbuild.errors import WebbuildError
from webbuild.verify.runners import Tensors

_DTYPES = {
    f"tensor({name})": np.dtype(dtype)
    for name, dtype in (
        ("float", np.float32), ("double", np.float64), ("float16", np.float16), ("bool", np.bool_),
        ("int8", np.int8), ("int16", np.int16), ("int32", np.int32), ("int64", np.int64),
        ("uint8", np.uint8), ("uint16", np.uint16), ("uint32", np.uint32), ("uint64", np.uint64),
    )
}  # fmt: skip
"""ONNX Runtime's names of element types."""


class NativeRunner:
    """Runs an .onnx file, external data beside it, as it is written: no fusion, no constant folding.

    With `data` it runs that graph in the file's place.

    Raises:
        WebbuildError: `native-refused` when ONNX Runtime makes no session of it.
    """

    def __init__(self, path: Path, data: bytes | None = None) -> None:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        options.log_severity_level = 3
        options.add_session_config_entry("session.disable_prepacking", "1")  # it copies the weights that are mapped
        options.add_session_config_entry("session.model_external_initializers_file_folder_path", str(path.parent))
        self.version: str = onnxruntime.__version__
        self.path = path
        try:
            self._session = onnxruntime.InferenceSession(data or path, options, providers=["CPUExecutionProvider"])
        except Exception as error:  # onnxruntime's own errors share no base class
            raise WebbuildError(
                "native-refused",
                f"{path.name}: native ONNX Runtime {self.version} makes no session of it: {error}",
                "what ONNX Runtime does not load in Python it does not load in a browser: export the model again",
            ) from error

    @property
    def types(self) -> dict[str, np.dtype[Any]]:
        """The element type of every input."""
        return {given.name: _DTYPES.get(given.type, np.dtype(np.float32)) for given in self._session.get_inputs()}

    @property
    def declared(self) -> dict[str, list[int | str | None]]:
        """The declared shape of every output: sizes, and names or None where the data decide."""
        return {given.name: list(given.shape) for given in self._session.get_outputs()}

    @property
    def name(self) -> str:
        """The engine, its version and the graph."""
        return f"native ONNX Runtime {self.version} on {self.path.name}"

    def run(self, feeds: Tensors) -> dict[str, NDArray[Any]]:
        """Return every output by name. Raises WebbuildError `native-failed`."""
        names = [output.name for output in self._session.get_outputs()]
        try:
            values = self._session.run(names, dict(feeds))
        except Exception as error:
            raise WebbuildError(
                "native-failed",
                f"{self.path.name}: native ONNX Runtime fails on this input: {error}",
                "check the input's names, types and shapes against manifest.json",
            ) from error
        return {name: np.asarray(value) for name, value in zip(names, values, strict=True)}
