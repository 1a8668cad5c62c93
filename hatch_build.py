"""Puts the built web runtime into the wheel: builds it with npm where it was not built yet."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

_BUILT = ("runtime/webbuild.js", "page/page.js", "ort/VERSION")


class WebRuntimeHook(BuildHookInterface[Any]):
    """Runs before the wheel is put together; an editable install is left alone."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build `webbuild/_web` unless it is there.

        Raises:
            RuntimeError: it is not there, and there is no npm.
        """
        root = Path(self.root)
        if version == "editable" or all((root / "webbuild" / "_web" / file).is_file() for file in _BUILT):
            return
        npm = shutil.which("npm")
        if npm is None:
            raise RuntimeError("the web runtime is not built, and there is no npm: install Node 20 or newer")
        subprocess.run([npm, "ci"], cwd=root, check=True)
        subprocess.run([npm, "run", "build"], cwd=root, check=True)
