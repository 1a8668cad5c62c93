"""A folder with a Chromium that uses lavapipe instead of SwiftShader."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

from webbuild.browser.chromium import BrowserHandle
from webbuild.browser.server import Server

SOURCE = Path(__file__).with_name("driver.c")
LIBRARY, DESCRIPTION = "libvk_swiftshader.so", "vk_swiftshader_icd.json"
"""The library of Chromium's software adapter, and the manifest by which OpenGL finds it, which keeps SwiftShader."""
BROWSER = "browser"
"""The copy of the executable, which the script named `chromium` starts."""

_START = """#!/bin/sh
# Mesa's own libraries are next to the driver if it was unpacked instead of installed.
export LD_LIBRARY_PATH={libraries}${{LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}}
exec {browser} "$@"
"""


def driver(described: Iterable[Path]) -> Path:
    """Return the library of the first driver that a Vulkan driver manifest names.

    Raises:
        SystemExit: There is none.
    """
    for path in described:
        if path.is_file():
            named = Path(json.loads(path.read_bytes())["ICD"]["library_path"])
            found = named if named.is_absolute() else path.parents[3] / "lib" / "x86_64-linux-gnu" / named
            if found.is_file():
                return found
    raise SystemExit("lavapipe: not found; install Mesa 24 or newer (mesa-vulkan-drivers), or set VK_ICD_FILENAMES")


def installation(folders: Iterable[Path]) -> Path:
    """Return the first folder that holds Chromium's software adapter.

    Raises:
        SystemExit: There is none.
    """
    for folder in folders:
        if (folder / LIBRARY).is_file():
            return folder
    raise SystemExit(f"no folder with {LIBRARY}; give Chromium's folder with --chromium")


def make(out: Path, chromium: Path, lavapipe: Path) -> Path:
    """Write the folder and return the executable to name in `WEBBUILD_CHROMIUM`.

    Files are linked, except the replaced ones and the executable, which looks for its files in its own folder.

    Raises:
        SystemExit: There is no C compiler, or it failed, or the Chromium has lavapipe already.
    """
    if out.exists():
        raise SystemExit(f"{out} exists already")
    if (chromium / BROWSER).exists():
        raise SystemExit(f"{chromium} has lavapipe already")
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        raise SystemExit("there is no C compiler; install gcc")
    out.mkdir(parents=True)
    for entry in chromium.iterdir():
        (out / entry.name).symlink_to(entry)
    (executable,) = (out / name for name in ("chromium", "chrome", "headless_shell") if (out / name).exists())
    original = executable.resolve()
    executable.unlink()
    shutil.copy2(original, out / BROWSER)
    icd = {"library_path": str(chromium / LIBRARY), "api_version": "1.1"}
    (out / DESCRIPTION).unlink()
    (out / DESCRIPTION).write_text(json.dumps({"file_format_version": "1.0.0", "ICD": icd}))
    (out / LIBRARY).unlink()
    flags = ["-shared", "-fPIC", "-O1", "-fvisibility=hidden", f"-DDRIVER={json.dumps(str(lavapipe))}"]
    if subprocess.run([compiler, *flags, "-o", out / LIBRARY, SOURCE, "-ldl"], check=False).returncode:
        raise SystemExit("the C compiler failed")
    executable.write_text(
        _START.format(libraries=shlex.quote(str(lavapipe.parent)), browser=shlex.quote(str(out / BROWSER)))
    )
    executable.chmod(0o755)
    return executable


def adapter_features(browser: BrowserHandle) -> list[str]:
    """Return the features of a browser's WebGPU adapter, sorted."""
    with Server(Path(__file__).parent) as server, browser.page() as (page, _):
        server.virtual["/empty.html"] = ("text/html", b"<!doctype html><title>Features</title>")
        page.goto(f"{server.origin}/empty.html")
        found: list[str] = page.evaluate("navigator.gpu.requestAdapter().then((adapter) => [...adapter.features])")
    return sorted(found)
