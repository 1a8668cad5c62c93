"""PyTorch checkpoints of Ultralytics (`best.pt`), exported to ONNX by the installed Ultralytics.

Loading a checkpoint runs the code pickled in it. Only Ultralytics loads one, in a separate process. A checkpoint
without an Ultralytics model is refused without loading it: the class names in its pickle tell.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Mapping
from pathlib import Path

from webbuild.errors import USAGE, WebbuildError
from webbuild.model.cache_folder import cache_folder

_SUFFIXES = (".pt", ".pth")
_ZIP, _PICKLE = b"PK\x03\x04", b"\x80"
_MAX_PICKLE_BYTES = 64 * 1024 * 1024
_LAST_LINES = 3
_EXPORT_PROGRAM = """
import ast, pathlib, sys
from ultralytics import YOLO
source, target, *options = sys.argv[1:]
def value(text):
    try:
        return ast.literal_eval(text)
    except (SyntaxError, ValueError):
        return text
arguments = {name: value(text) for name, _, text in (each.partition("=") for each in options)}
exported = YOLO(source).export(format="onnx", **{"device": "cpu", "simplify": False, **arguments})
pathlib.Path(exported).replace(target)
"""
"""Program of the exporting process. It turns onnxslim off: the passes reach the same graph with and without it."""


def is_checkpoint(path: Path) -> bool:
    """Whether a file has a checkpoint's suffix and its first bytes."""
    try:
        with path.open("rb") as file:
            return path.suffix.lower() in _SUFFIXES and file.read(4).startswith((_ZIP, _PICKLE))
    except OSError:
        return False


def ultralytics_version() -> str:
    """Return the version of the installed Ultralytics; empty if it has no package metadata."""
    try:
        return importlib.metadata.version("ultralytics")
    except importlib.metadata.PackageNotFoundError:
        return ""


def export_path(checkpoint: Path, options: Mapping[str, str]) -> Path:
    """Return the path of a checkpoint's export in webbuild's cache, keyed by content, Ultralytics version and options.

    Raises:
        WebbuildError: `unknown-checkpoint`, `no-ultralytics`.
    """
    _require_ultralytics_model(checkpoint)
    if importlib.util.find_spec("ultralytics") is None:
        raise WebbuildError(
            "no-ultralytics",
            f"{checkpoint}: Ultralytics, which exports it, is not installed",
            'pip install "webbuild[ultralytics]", or run `yolo export format=onnx` elsewhere and pass the .onnx file',
            exit_code=USAGE,
        )
    with checkpoint.open("rb") as file:
        content = hashlib.file_digest(file, "sha256").hexdigest()
    key = json.dumps([content, ultralytics_version(), sorted(options.items())])
    return cache_folder() / "exports" / hashlib.sha256(key.encode()).hexdigest()[:32] / f"{checkpoint.stem}.onnx"


def export_checkpoint(checkpoint: Path, options: Mapping[str, str], target: Path) -> None:
    """Export a copy of a checkpoint, since Ultralytics writes next to its source.

    Args:
        checkpoint: a file of which `is_checkpoint` is true.
        options: arguments of Ultralytics' `export`, such as `imgsz`, as text.
        target: the ONNX file to write, as `export_path` names it.

    Raises:
        WebbuildError: `export-failed`, with the last lines of the output; `export.log` has all of it.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent) as work:
        source = Path(work) / checkpoint.name
        shutil.copyfile(checkpoint, source)
        arguments = [str(source), str(target), *(f"{name}={value}" for name, value in options.items())]
        done = subprocess.run(
            [sys.executable, "-P", "-c", _EXPORT_PROGRAM, *arguments],
            cwd=work,
            env={**os.environ, "YOLO_AUTOINSTALL": "0", "YOLO_OFFLINE": "1", "PYTHONUTF8": "1"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
            check=False,
        )
    if done.returncode == 0 and target.is_file():
        return
    log = target.with_name("export.log")
    log.write_text(done.stdout, "utf-8", newline="\n")
    printed = re.sub(r"\x1b\[[\d;]*m", "", done.stdout).rpartition("Traceback (most recent call last):")[2]
    lines = [line for line in printed.splitlines() if line.strip() and not line.startswith("  ")]
    raise WebbuildError(
        "export-failed",
        f"{checkpoint}: Ultralytics {ultralytics_version()} ended with exit code {done.returncode}: "
        f"{' | '.join(lines[-_LAST_LINES:]) or 'it printed nothing'}",
        f"see {log}; correct --export, or run `yolo export format=onnx` yourself and pass the .onnx file",
    )


def _require_ultralytics_model(checkpoint: Path) -> None:
    """Raise for a checkpoint without an Ultralytics model, without loading it.

    Raises:
        WebbuildError: `unknown-checkpoint`.
    """
    pickled, files = _pickle_and_files(checkpoint)
    if b"ultralytics." in pickled:
        return
    fix = "export it to ONNX where it was made, with torch.onnx.export(model, ...), and pass the .onnx file"
    if "constants.pkl" in files:
        what = "is TorchScript"
        fix = "export the model that it was made from, with torch.onnx.export(model, ...), and pass the .onnx file"
    elif b"models.yolo" in pickled:
        what, fix = "is from the repository of YOLOv5 or YOLOv7", "run that repository's export.py, pass its .onnx file"
    elif b"torch.nn.modules" in pickled:
        what = "is a pickled network, but not an Ultralytics model"
    else:
        what = "has weights without a network (a state dict)"
    raise WebbuildError("unknown-checkpoint", f"{checkpoint}: {what}", fix)


def _pickle_and_files(checkpoint: Path) -> tuple[bytes, set[str]]:
    """Return the pickle of a checkpoint and the names of the files in it; an old checkpoint is only a pickle."""
    try:
        with zipfile.ZipFile(checkpoint) as archive:
            names = {name.rpartition("/")[2]: name for name in archive.namelist()}
            if "data.pkl" not in names:
                return b"", set(names)
            with archive.open(names["data.pkl"]) as file:
                return file.read(_MAX_PICKLE_BYTES), set(names)
    except (zipfile.BadZipFile, OSError):
        with checkpoint.open("rb") as file:
            return file.read(_MAX_PICKLE_BYTES), set()
