"""The ONNX file of MODEL: an Ultralytics checkpoint is exported first."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from webbuild.errors import USAGE, WebbuildError
from webbuild.model.checkpoint import export_checkpoint, export_path, is_checkpoint, ultralytics_version
from webbuild.model.locate import LocatedModel
from webbuild.reporting.progress import ProgressReporter


def parse_export_options(values: Sequence[str]) -> dict[str, str]:
    """Parse the `KEY=VALUE` pairs of `--export`. Raises WebbuildError `invalid-export-option`."""
    options = {}
    for text in values:
        key, equals, value = text.partition("=")
        if not key.isidentifier() or not equals or key == "format":
            raise _invalid_option(f"--export {text}: is not an argument of Ultralytics' export")
        options[key] = value
    return options


def export_located(located: LocatedModel, options: dict[str, str], progress: ProgressReporter) -> Path:
    """Return the path of the ONNX file: the model itself, or the export of a PyTorch checkpoint.

    Raises:
        WebbuildError: `invalid-export-option` for options without a checkpoint, and what `export_path` and
            `export_checkpoint` raise.
    """
    path = located.path
    if not is_checkpoint(path):
        if options:
            raise _invalid_option(f"--export {next(iter(options))}: {path} is not an Ultralytics checkpoint")
        return path
    target = export_path(path, options)
    if not target.is_file():
        with progress.step(f"export {path.name} with Ultralytics {ultralytics_version()}: runs the code pickled in it"):
            export_checkpoint(path, options, target)
    return target


def _invalid_option(message: str) -> WebbuildError:
    return WebbuildError(
        "invalid-export-option",
        message,
        "use it with an Ultralytics .pt file, for example --export imgsz=320 or --export nms=True",
        exit_code=USAGE,
    )
