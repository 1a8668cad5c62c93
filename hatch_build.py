"""What the wheel has besides the Python files: the web runtime, its bill of materials, the README as PyPI shows it."""

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
from hatchling.metadata.plugin.interface import MetadataHookInterface

_BUILT = (
    "runtime/webbuild.js",
    "page/page.js",
    "integrations/element/web-model.js",
    "ort/VERSION",
    "licenses/packages.json",
)
_RELATIVE_LINK = re.compile(r"!?\[([^\]]*)\]\((?!\w+:|#)([^)\s]+)\)")


class ReadmeHook(MetadataHookInterface):
    """Gives PyPI, which has no other file of the repository, a README whose links lead somewhere."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Set the long description."""
        text = (Path(self.root) / "README.md").read_text("utf-8")
        metadata["readme"] = {"content-type": "text/markdown", "text": published_readme(text, metadata["urls"])}


def published_readme(text: str, urls: dict[str, str]) -> str:
    """Return a README without relative links.

    Files below docs/ are pages and pictures of the documentation site. Others lie in the repository; until
    `[project.urls]` has its address, as `Repository`, only the words of their links stay.
    """

    def absolute(link: re.Match[str]) -> str:
        words, path = link.groups()
        page = path.removeprefix("docs/")
        if page != path:
            page = re.sub(r"\.md(?=#|$)", ".html", page)
            address = urls["Documentation"] + (page if Path(page).suffix else f"{page}/index.html")
        elif "Repository" in urls:
            address = f"{urls['Repository'].rstrip('/')}/blob/HEAD/{path}"
        else:
            return words
        return link[0].replace(f"]({path})", f"]({address})")

    return _RELATIVE_LINK.sub(absolute, text)


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
    """Return the bill of materials of a tree's wheel. Packages that pip installs with it are in its metadata."""
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
