"""The result of `webbuild patch` for one model."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct

from webbuild.bundle.export_onnx import OnnxFile
from webbuild.errors import WebbuildError
from webbuild.manifest.manifest import DisabledTarget
from webbuild.passes.base import Rewrite


class PatchError(Struct, frozen=True):
    """The error that stopped a model."""

    code: str
    message: str
    fix: str


class PatchResult(Struct, frozen=True):
    """The result of patching a model.

    `interface` describes changes of inputs and outputs. `disabled_targets` are the targets whose graph would fail; they
    get the WASM graph. `compared` counts the compared outputs, all equal. `repairs` describe changes to the original
    that native ONNX Runtime needed to run it.
    """

    model: str
    exit_code: int
    rewrites: dict[str, tuple[Rewrite, ...]] = {}
    files: tuple[OnnxFile, ...] = ()
    interface: tuple[str, ...] = ()
    disabled_targets: dict[str, DisabledTarget] = {}
    compared: int = 0
    repairs: tuple[str, ...] = ()
    error: PatchError | None = None


def failed_result(model: Path, error: WebbuildError) -> PatchResult:
    """Return the result for a model that an error stopped."""
    return PatchResult(str(model), error.exit_code, error=PatchError(error.code, error.message, error.fix))
