"""Arguments and options of `webbuild new`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from webbuild.commands.dataclass_command import argument, option


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class NewArguments:
    """Write a small app for a bundle to DIRECTORY: it runs the model on a picture or the camera.

    Example: webbuild new my-app --model dist/yolo-pose --template react
    """

    directory: Path = argument()
    model: Path = option(metavar="BUNDLE", required=True, help="Folder that `webbuild pack` wrote.")
    template: Literal["vite", "react", "plain"] = option(
        default="vite", help="vite: TypeScript; react: React with TypeScript; plain: no build step, any static host."
    )
