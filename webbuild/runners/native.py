"""The reference: native ONNX Runtime on the CPU, with its optimizations off."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from copy import copy
from pathlib import Path
from threading import Timer
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from webbuild.errors import USAGE, WebbuildError
from webbuild.runners.content_hash import hash_model, hash_parts, hash_tensors
from webbuild.runners.malloc_trim import limit_malloc_cache, trim_malloc
from webbuild.runners.mapped_arrays import map_arrays
from webbuild.runners.suppression import apply_suppression, raw_outputs, read_suppression, suppressed_shapes
from webbuild.runners.tensors import Tensors

if TYPE_CHECKING:
    from onnxruntime import InferenceSession, RunOptions

_NUMPY_DTYPES = {
    f"tensor({name})": np.dtype(dtype)
    for name, dtype in (
        ("float", np.float32), ("double", np.float64), ("float16", np.float16), ("bool", np.bool_),
        ("int8", np.int8), ("int16", np.int16), ("int32", np.int32), ("int64", np.int64),
        ("uint8", np.uint8), ("uint16", np.uint16), ("uint32", np.uint32), ("uint64", np.uint64),
    )
}  # fmt: skip
"""NumPy types by ONNX Runtime's names of element types."""

RUN_SECONDS = 900.0
"""Time limit of a run: a loop in a model may be endless."""

RESOURCE_ERRORS = ("out-of-memory", "reference-run-too-long")
"""Error codes of runs that lacked memory or time: other random inputs do not help."""

_MAX_CHANGED_BYTES = 1 << 30
"""Maximum bytes of a model's files to perturb its weights, since this keeps the weights in memory twice."""


_NO_MEMORY = ("Failed to allocate memory", "bad_alloc", "bad allocation")
"""Texts in ONNX Runtime's errors when it runs out of memory."""


def _out_of_memory_error(file: str, error: Exception) -> WebbuildError | None:
    """Return the error `out-of-memory` if ONNX Runtime ran out of memory, None for any other error."""
    if not isinstance(error, MemoryError) and not any(words in str(error) for words in _NO_MEMORY):
        return None
    return WebbuildError(
        "out-of-memory",
        f"{file}: native ONNX Runtime has too little memory: {error}",
        "give smaller --dim sizes or --sample files, or use a machine with more memory",
        exit_code=USAGE,
    )


def _metadata(session: InferenceSession) -> dict[str, str]:
    """Return the model's metadata, {} if it is not valid UTF-8; webbuild's own metadata always is."""
    try:
        metadata: dict[str, str] = session.get_modelmeta().custom_metadata_map
    except UnicodeDecodeError:
        return {}
    return metadata


def _exact_graph(path: Path, data: bytes | None) -> bytes | None:
    from webbuild.runners.exact_int8 import with_uint8_weights

    try:
        return with_uint8_weights(path, data)
    except Exception:  # the session reports unreadable models; protobuf's errors share no base class with others
        return None


def _float_weights(path: Path, data: bytes | None) -> dict[str, NDArray[Any]]:
    """Return the float weights with non-integer values, {} for a model above `_MAX_CHANGED_BYTES`.

    Weights are initializers, or the values of Constant nodes, as paddle2onnx writes them: ONNX Runtime makes
    initializers of these. All-integer tensors are no weights but exact by design: masks, sizes, divisors. So are the
    scales of a Resize, which decide its output's size, and must be 1 for batch and channels.
    """
    import onnx

    if sum(file.stat().st_size for file in path.parent.glob(f"{path.stem}*")) > _MAX_CHANGED_BYTES:
        return {}
    model = onnx.load(path) if data is None else onnx.load_from_string(data)
    if data is not None:
        onnx.load_external_data_for_model(model, str(path.resolve().parent))
    resizes = (node for node in model.graph.node if node.op_type in ("Resize", "Upsample"))
    scales = {name for node in resizes for name in node.input[1:]}
    tensors = {tensor.name: tensor for tensor in model.graph.initializer}
    for node in model.graph.node:
        if node.op_type == "Constant" and node.attribute and node.attribute[0].name == "value":
            tensors[node.output[0]] = node.attribute[0].t
    arrays = {name: onnx.numpy_helper.to_array(tensor) for name, tensor in tensors.items() if name not in scales}
    floats = {name: array for name, array in arrays.items() if array.dtype.kind == "f"}
    return {name: array for name, array in floats.items() if not np.array_equal(array, np.rint(array))}


class NativeRunner:
    """Runs an .onnx file without graph optimizations: no fusion, no constant folding. External data is next to it.

    The only change: int8 weights of integer products become uint8, which is exact on every CPU (`exact_int8`). With
    `data` it runs that serialized model instead of the file's. The inputs in `fixed` get these values in every run. An
    NMS that the browser runtime does after the graph is done in NumPy.

    Raises:
        WebbuildError: `reference-session-failed` if ONNX Runtime cannot create a session; `out-of-memory`.
    """

    def __init__(self, path: Path, data: bytes | None = None, fixed: Tensors = {}) -> None:  # noqa: B006 - only read
        self.path = path
        self._fixed = fixed
        self._defaults: Tensors = {}
        self._data = _exact_graph(path, data) or data
        self._session: InferenceSession | None = None
        self._weights: Tensors = {}
        session = self._open()
        self.input_dtypes = {
            spec.name: _NUMPY_DTYPES.get(spec.type, np.dtype(np.float32)) for spec in session.get_inputs()
        }
        self.output_shapes = {spec.name: list(spec.shape) for spec in session.get_outputs()}
        self._suppression = read_suppression(_metadata(session), self.output_shapes)
        if self._suppression is not None:
            self.output_shapes = suppressed_shapes(self._suppression, self.output_shapes)

    input_dtypes: dict[str, np.dtype[Any]]
    """The element type of every input."""
    output_shapes: dict[str, list[int | str | None]]
    """The declared shape of every output; free dimensions are names or None."""

    @property
    def name(self) -> str:
        """The engine, its version and the graph."""
        return f"native ONNX Runtime {self.version} on {self.path.name}"

    @property
    def version(self) -> str:
        """ONNX Runtime's version."""
        import onnxruntime

        version: str = onnxruntime.__version__
        return version

    def content_hash(self) -> str:
        """Return a hash of the model, its weights, the fixed and default inputs, and the selected outputs."""
        settings = [hash_tensors(self._fixed), hash_tensors(self._defaults), *self.output_shapes]
        return hash_parts(hash_model(self.path, self._data), *settings)

    def with_defaults(self, defaults: Tensors) -> NativeRunner:
        """Return a runner of the same graph that uses these values for inputs missing in the feeds."""
        other = copy(self)
        other._session, other._defaults = None, defaults
        return other

    def with_outputs(self, names: Iterable[str]) -> NativeRunner:
        """Return a runner of the same graph that returns only these outputs."""
        other = copy(self)
        other._session, other.output_shapes = None, {name: self.output_shapes[name] for name in names}
        return other

    def close(self) -> None:
        """Release the session and its memory; the next run creates a new one."""
        if self._session is not None:
            self._session = None
            trim_malloc()

    @contextmanager
    def perturbed(self, change: Callable[[Tensors], Tensors]) -> Iterator[None]:
        """Run with weights changed by `change`, and with sequential sums, until the block ends."""
        from webbuild.runners.sequential_sums import with_sequential_sums

        self.close()
        original = self._data
        self._weights = map_arrays(change(_float_weights(self.path, original)))
        self._data = with_sequential_sums(self.path, original) or original
        try:
            yield
        finally:
            self.close()
            self._weights, self._data = {}, original

    def _open(self) -> InferenceSession:
        import onnxruntime

        if self._session is not None:
            return self._session
        limit_malloc_cache()
        options = onnxruntime.SessionOptions()
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        options.log_severity_level = 4  # errors are raised; do not print them too
        options.enable_cpu_mem_arena = True  # without it, allocating pages takes half of a run's time
        options.enable_mem_pattern = False  # from the second run on it allocates the memory of all steps in one block
        options.enable_mem_reuse = False  # a reused buffer is as large as its largest tensor until the last one is done
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")  # spinning takes CPU from computing
        options.add_session_config_entry("session.disable_prepacking", "1")  # prepacking would copy mapped weights
        weights = {name: onnxruntime.OrtValue.ortvalue_from_numpy(array) for name, array in self._weights.items()}
        for name, value in weights.items():  # not copied: `weights` must live until the session is created
            options.add_initializer(name, value)
        if self._data is not None:  # with a path, ONNX Runtime finds the folder itself, also through a symbolic link
            folder = str(self.path.resolve().parent)
            options.add_session_config_entry("session.model_external_initializers_file_folder_path", folder)
        try:
            self._session = onnxruntime.InferenceSession(
                self._data or self.path, options, providers=["CPUExecutionProvider"]
            )
        except Exception as error:  # onnxruntime's own errors share no base class
            raise _out_of_memory_error(self.path.name, error) or WebbuildError(
                "reference-session-failed",
                f"{self.path.name}: native ONNX Runtime {self.version} cannot load it: {error}",
                "export the model again: what ONNX Runtime cannot load in Python, it cannot load in a browser",
            ) from error
        return self._session

    def run(self, feeds: Tensors) -> dict[str, NDArray[Any]]:
        """Return every output by name.

        Raises:
            WebbuildError: `reference-run-failed`, `reference-run-too-long`, `out-of-memory`.
        """
        suppression = self._suppression
        names = list(self.output_shapes) if suppression is None else raw_outputs(suppression, self.output_shapes)
        session = self._open()
        fixed = {name: array for name, array in self._fixed.items() if name in self.input_dtypes}
        run_feeds = {**self._defaults, **feeds, **fixed}
        options = _returning_memory()
        limit = Timer(RUN_SECONDS, lambda: setattr(options, "terminate", True))
        limit.daemon = True
        limit.start()
        try:
            values = session.run(names, run_feeds, options)
        except Exception as error:
            if options.terminate:
                raise WebbuildError(
                    "reference-run-too-long",
                    f"{self.path.name}: native ONNX Runtime had not finished after {RUN_SECONDS:g} seconds",
                    "check that the loops of the model end; give smaller --dim sizes or --sample files",
                ) from error
            raise _out_of_memory_error(self.path.name, error) or WebbuildError(
                "reference-run-failed",
                f"{self.path.name}: native ONNX Runtime fails on this input: {error}",
                "check the names, types, shapes and values of the inputs; --sample FILE and --dim NAME=N change them",
            ) from error
        finally:
            limit.cancel()
        outputs = {name: np.asarray(value) for name, value in zip(names, values, strict=True)}
        if suppression is None or suppression.boxes not in outputs:
            return outputs
        suppressed = apply_suppression(suppression, outputs, run_feeds)
        return {name: suppressed[name] for name in self.output_shapes}


def _returning_memory() -> RunOptions:
    """Return run options that shrink the memory arena after the run."""
    import onnxruntime

    options = onnxruntime.RunOptions()
    options.add_run_config_entry("memory.enable_memory_arena_shrinkage", "cpu:0")
    return options
