"""Arguments and options of `webbuild probe`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from webbuild.commands.dataclass_command import option


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ProbeArguments:
    """Measure the kernels of a build of onnxruntime-web in a browser, and write their table. Takes up to an hour.

    With `--browser firefox` the file has the cases with another outcome than in Chromium on the same machine.

    Example: webbuild probe --version 1.27.0
    """

    version: str | None = option(help="Version of onnxruntime-web. [default: the installed one; npm downloads others]")
    build: Literal["webgpu", "wasm"] = option(
        default="webgpu", help='Build to measure. webgpu is what `import "onnxruntime-web/webgpu"` loads.'
    )
    browser: Literal["chromium", "firefox"] = option(default="chromium", help="Browser to measure in.")
    only: tuple[str, ...] = option(
        "--family",
        default=(),
        metavar="FAMILY",
        help="Measure only these special cases, such as conv, pool or resize, without the kernels; repeatable.",
    )
    resume: bool = option(default=False, help="Continue an interrupted measurement.")
    out: Path | None = option(
        help="File of the table. [default: VERSION-BUILD.json, with -firefox before the dot in Firefox]"
    )
