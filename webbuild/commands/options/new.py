"""Arguments and options of `webbuild new`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from webbuild.commands.dataclass_command import argument, option


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class NewArguments:
    """Write a small app around a bundle to DIRECTORY: it shows a picture or the camera, and what the model finds.

    Example: webbuild new my-app --model dist/yolo-pose --template react
    """

    directory: Path = argument()
    model: Path = option(metavar="BUNDLE", required=True, help="Folder that `webbuild pack` wrote.")
    template: Literal["vite", "react", "plain"] = option(
        default="vite", help="vite: TypeScript; react: React with TypeScript; plain: no tools, any static host."
    )
