"""Files in this package: the built web runtime, the demo page, and onnxruntime-web."""

from __future__ import annotations

import json
from pathlib import Path

from webbuild.errors import USAGE, WebbuildError
from webbuild.manifest.manifest import EngineBuild

WEB_ROOT = Path(__file__).parents[1] / "_web"

TOKENIZER = "tokenizer.js"
"""Module of the runtime that only models with a text prompt need."""

_BUILDS = {"jspi": ("jspi", "jspi"), "asyncify": ("webgpu", "asyncify"), "wasm": ("wasm", "")}
"""Build -> (name of its JavaScript entry, infix of its WebAssembly)."""


def engine_build_files() -> list[tuple[EngineBuild, list[Path]]]:
    """Return each build of the engine and its source files: entry, glue, compressed WebAssembly.

    Raises:
        WebbuildError: `no-runtime` if the TypeScript runtime was not built.
    """
    builds = []
    for build, (entry, infix) in _BUILDS.items():
        stem = "ort-wasm-simd-threaded" + (f".{infix}" if infix else "")
        files = [WEB_ROOT / "ort" / name for name in (f"ort.{entry}.min.mjs", f"{stem}.mjs", f"{stem}.wasm.zst")]
        _require(*files)
        spec = EngineBuild(
            build=build,  # type: ignore[arg-type]
            entry=f"runtime/ort/{files[0].name}",
            glue=f"runtime/ort/{files[1].name}",
            wasm=f"runtime/ort/{files[2].name}",
        )
        builds.append((spec, files))
    return builds


def engine_version() -> str:
    """Return the version of onnxruntime-web that bundles ship."""
    file = WEB_ROOT / "ort" / "VERSION"
    _require(file)
    return file.read_text("utf-8").strip()


def runtime_files() -> list[Path]:
    """Return the files of the runtime: entry, worker and their types."""
    return _folder("runtime", "webbuild.js")


def demo_page_files() -> list[Path]:
    """Return the files of the demo page."""
    return _folder("page", "page.js")


def integration(name: str) -> Path:
    """Return the folder of an npm package for a framework or a bundler, such as `react`."""
    folder = WEB_ROOT / "integrations" / name
    _require(folder / "package.json")
    return folder


def license_files() -> list[Path]:
    """Return the licence texts of onnxruntime-web and of the libraries in it."""
    files = [WEB_ROOT / "ort" / name for name in ("LICENSE", "ThirdPartyNotices.txt")]
    _require(*files)
    return files


def fzstd_license() -> str:
    """Return the licence of fzstd, with which the worker decompresses zstd if the browser cannot."""
    file = WEB_ROOT / "licenses" / "fzstd.txt"
    _require(file)
    return file.read_text("utf-8")


def packages_inside() -> list[dict[str, str]]:
    """Return `name`, `version` and `license` of the npm packages compiled into the runtime."""
    file = WEB_ROOT / "licenses" / "packages.json"
    _require(file)
    packages: list[dict[str, str]] = json.loads(file.read_text("utf-8"))
    return packages


def _folder(name: str, entry: str) -> list[Path]:
    _require(WEB_ROOT / name / entry)
    return sorted(path for path in (WEB_ROOT / name).rglob("*") if path.is_file())


def _require(*files: Path) -> None:
    for file in files:
        if not file.is_file():
            raise WebbuildError(
                "no-runtime",
                f"the built web runtime is missing: {file.name}",
                "in a checkout run `npm ci && npm run build`; an installed wheel carries it, so reinstall webbuild",
                exit_code=USAGE,
            )
