"""Arguments and options of `webbuild inspect`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from webbuild.commands.dataclass_command import argument, option
from webbuild.commands.options.shared import (
    LimitArguments,
    dims_option,
    export_option,
    json_option,
    set_option,
    size_option,
    state_option,
)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class InspectArguments(LimitArguments):
    """Predict where each node of MODEL runs in a browser, and what fails. The file is not changed.

    Exit code 1: the model will fail (no session, an exception, a wrong result). A model that is only slow exits 0.

    Example: webbuild inspect yolo11n.onnx --html yolo11n.html
    """

    model: Path = argument()
    target: str | None = option(
        help="Build of onnxruntime-web: VERSION-BUILD. [default: the WebGPU build that pack ships]"
    )
    dims: tuple[str, ...] = dims_option()
    size: str | None = size_option()
    export: tuple[str, ...] = export_option()
    values: tuple[str, ...] = set_option()
    states: tuple[str, ...] = state_option()
    measure: bool = option(default=False, help="Also run the model in Chromium, and compare with the prediction.")
    as_json: bool = json_option()
    html: Path | None = option(help="Write the graph and its findings as HTML to this file.")
