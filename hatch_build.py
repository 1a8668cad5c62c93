"""Puts the built web runtime into the wheel, built with npm where it was not yet, and a bill of materials of it."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

_BUILT = (
    "runtime/webbuild.js",
    "page/page.js",
    "integrations/element/web-model.js",
    "ort/VERSION",
    "licenses/packages.json",
)


class WebRuntimeHook(BuildHookInterface[Any]):
    """Runs before the wheel is put together; an editable install is left alone."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build `webbuild/_web` unless it is there, and say what of others is in the wheel.

        Raises:
            RuntimeError: it is not there, and there is no npm.
        """
        root = Path(self.root)
        if version == "editable":
            return
        if not all((root / "webbuild" / "_web" / file).is_file() for file in _BUILT):
            _build_web(root)
        if self.target_name == "wheel":
            self._folder = tempfile.TemporaryDirectory()
            file = Path(self._folder.name) / "webbuild.cdx.json"
            file.write_text(wheel_sbom(root), "utf-8")
            build_data["sbom_files"].append(str(file))


def _build_web(root: Path) -> None:
    npm = shutil.which("npm")
    if npm is None:
        raise RuntimeError("the web runtime is not built, and there is no npm: install Node 20 or newer")
    subprocess.run([npm, "ci"], cwd=root, check=True)
    subprocess.run([npm, "run", "build"], cwd=root, check=True)


def wheel_sbom(root: Path) -> str:
    """Return the bill of materials of a tree's wheel. What pip installs beside it is in its metadata."""
    sys.path.insert(0, str(root))
    try:
        from webbuild.bundle.cyclonedx import component, document, engine_component, package_components
    finally:
        sys.path.remove(str(root))
    found = re.search(r'^__version__ = "(.+)"$', (root / "webbuild" / "__init__.py").read_text("utf-8"), re.MULTILINE)
    assert found is not None
    web = root / "webbuild" / "_web"
    inside = package_components(json.loads((web / "licenses" / "packages.json").read_text("utf-8")))
    engine = engine_component((web / "ort" / "VERSION").read_text("utf-8").strip())
    own = component("library", "webbuild", found[1], registry="pypi", license_name="Apache-2.0")
    return document(own, [engine, *inside], inside={}, tool=None)
