"""Arguments and options of `webbuild verify`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from webbuild.commands.dataclass_command import option
from webbuild.commands.options.shared import BrowserArguments


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class VerifyArguments(BrowserArguments):
    """Run the bundle in DIRECTORY in a browser and compare every backend with native ONNX Runtime.

    Example: webbuild verify dist/yolo-pose --browser chromium --browser firefox
    """

    track: bool = option(
        default=False, help="Also make a video of a sample, and compare the track ids of objects in its frames."
    )
    markdown: Path | None = option(help="Write a Markdown table of the backends and failures to this file.")
