"""Native ONNX Runtime as an engine: no fusion, no constant folding."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from webbuild.errors import WebbuildError
from webbuild.runners.native import NativeRunner
from webbuild.runners.session import Array, ModelRunResult, OutputCallback


class UnoptimizedNativeRunner:
    """Runs models on the CPU."""

    @property
    def name(self) -> str:
        """The engine and its version."""
        import onnxruntime

        return f"native ONNX Runtime {onnxruntime.__version__}"

    def run_model(
        self, model: bytes, feeds: Mapping[str, Array], take: OutputCallback, *, verbose: bool = False
    ) -> ModelRunResult:
        """Run a model. See `Engine`."""
        try:
            runner = NativeRunner(Path("cut.onnx"), model)
        except WebbuildError as error:
            return ModelRunResult("no-session", error.message)
        try:
            outputs = runner.run(feeds)
        except WebbuildError as error:
            return ModelRunResult("throws", error.message)
        for name, array in outputs.items():
            take(name, array)
        return ModelRunResult("ran")
