"""Hosting files of a bundle: settings for several hosts, and a package.json for npm."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from webbuild.bundle.hosting import headers_file, nginx_file, vercel_file
from webbuild.bundle.render import render_package_entry
from webbuild.ortweb import packaged_assets
from webbuild.reporting.write import write_text

_RUNTIME_ASSETS = ("golden/*", "model/*", "runtime/ort/*", f"runtime/{packaged_assets.TOKENIZER}")
"""Files that the runtime loads by address."""


def write_deployment(name: str, title: str, folder: Path, loaded: Iterable[str]) -> None:
    """Write the files for hosts and npm next to the files of a complete bundle.

    `loaded` are files that the runtime loads in addition to the usual ones.
    """
    write_text(folder / "_headers", headers_file())
    write_text(folder / "vercel.json", vercel_file())
    write_text(folder / "nginx.conf", nginx_file())
    write_text(folder / "package.json", package_json(name, title))
    files = (file for pattern in _RUNTIME_ASSETS for file in folder.glob(pattern) if file.is_file())
    paths = sorted([*loaded, *(file.relative_to(folder).as_posix() for file in files)])
    write_text(folder / "npm.js", render_package_entry(paths))


def package_json(name: str, title: str) -> str:
    """Return `package.json`. The publisher sets the version."""
    types = f"./{name}.d.ts"
    described = {
        "name": name,
        "version": "0.0.0",
        "description": f"{title}, for WebGPU and WebAssembly in a browser",
        "license": "SEE LICENSE IN LICENSE.txt",
        "type": "module",
        "types": types,
        "exports": {".": {"types": types, "default": "./npm.js"}, "./*": "./*"},
    }
    return json.dumps(described, indent=2) + "\n"
