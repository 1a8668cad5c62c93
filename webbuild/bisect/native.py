"""Native ONNX Runtime as an engine: no fusion, no constant folding."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from webbuild.bisect.engine import Array, Ended, Take
from webbuild.errors import WebbuildError
from webbuild.verify.native import NativeRunner


class Native:
    """Runs models on the CPU."""

    @property
    def name(self) -> str:
        """The engine and its version."""
        import onnxruntime

        return f"native ONNX Runtime {onnxruntime.__version__}"

    def attempt(self, model: bytes, feeds: Mapping[str, Array], take: Take, *, verbose: bool = False) -> Ended:
        """Run a model. See `Engine`."""
        try:
            runner = NativeRunner(Path("cut.onnx"), model)
        except WebbuildError as error:
            return Ended("no-session", error.message)
        try:
            found = runner.run(feeds)
        except WebbuildError as error:
            return Ended("throws", error.message)
        for name, array in found.items():
            take(name, array)
        return Ended("ran")
