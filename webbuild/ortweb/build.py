"""The files of a build: of the installed version from this package, of other versions from npm."""

from __future__ import annotations

import re
import shutil
import subprocess
import tarfile
import tempfile
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from webbuild.browser.document_root import VirtualFiles
from webbuild.browser.media_types import media_type
from webbuild.errors import USAGE, WebbuildError
from webbuild.manifest.file_entry import read_engine_wasm
from webbuild.ortweb import packaged_assets
from webbuild.targets.target import Target

_ENTRIES = {
    "webgpu": (
        ("ort.jspi.min.mjs", "ort-wasm-simd-threaded.jspi"),
        ("ort.webgpu.min.mjs", "ort-wasm-simd-threaded.asyncify"),
    ),
    "wasm": (("ort.wasm.min.mjs", "ort-wasm-simd-threaded"),),
}
"""Build -> pairs (JavaScript entry, stem of its .mjs glue and .wasm file); the first that the package has is used."""


@dataclass(frozen=True)
class OrtWebBuild:
    """A build to measure: its three files; the WebAssembly may be compressed."""

    target: Target
    entry: Path
    glue: Path
    wasm: Path

    def virtual_files(self, url_prefix: str) -> VirtualFiles:
        """Return the files as a server's virtual files in the folder `url_prefix`."""
        return {
            f"{url_prefix}{self.entry.name}": (media_type(self.entry.name), self.entry.read_bytes()),
            f"{url_prefix}{self.glue.name}": (media_type(self.glue.name), self.glue.read_bytes()),
            f"{url_prefix}engine.wasm": ("application/wasm", read_engine_wasm(self.wasm)),
        }

    def worker_options(self, url_prefix: str) -> dict[str, str]:
        """Return what the page's worker needs to load it."""
        return {
            "entry": f"{url_prefix}{self.entry.name}",
            "glue": f"{url_prefix}{self.glue.name}",
            "wasm": f"{url_prefix}engine.wasm",
            "provider": self.target.build,
        }


def get_build(target: Target, cache: Path) -> OrtWebBuild:
    """Return a build. A version that is not installed is downloaded to `cache`.

    Raises:
        WebbuildError: `no-runtime`, `no-npm`, `version-not-found`, `unknown-build`.
    """
    own = target.version == packaged_assets.engine_version()
    folder = packaged_assets.WEB_ROOT / "ort" if own else _download_dist(target.version, cache)
    for entry, stem in _ENTRIES[target.build]:
        glue, wasm = folder / f"{stem}.mjs", folder / f"{stem}.wasm"
        wasm = wasm if wasm.is_file() else wasm.with_suffix(".wasm.zst")
        if all(path.is_file() for path in (folder / entry, glue, wasm)):
            return OrtWebBuild(target, folder / entry, glue, wasm)
    raise WebbuildError(
        "unknown-build",
        f"onnxruntime-web {target.version} has no build {target.build}",
        "choose another --build; webgpu is there since 1.22",
        exit_code=USAGE,
    )


def _download_dist(version: str, cache: Path) -> Path:
    """Return the `dist` folder of a version; download it with npm if it is missing."""
    dist = cache / f"onnxruntime-web-{version}" / "dist"
    if not dist.is_dir():
        cache.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=cache) as temporary:
            _unpack_dist(_pack(version, Path(temporary)), dist.with_name("dist.part"))
        dist.with_name("dist.part").rename(dist)
    return dist


def _pack(version: str, folder: Path) -> Path:
    npm = shutil.which("npm")
    if npm is None:
        raise WebbuildError(
            "no-npm",
            f"onnxruntime-web {version} is not the installed version ({packaged_assets.engine_version()}), and there "
            f"is no npm",
            "install Node.js, which brings npm, or leave --version out",
            exit_code=USAGE,
        )
    command = [npm, "pack", f"onnxruntime-web@{version}", "--loglevel", "error", "--pack-destination", str(folder)]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", errors="replace", check=False, cwd=folder)
    packed = sorted(folder.glob("*.tgz"))
    if done.returncode or not packed:
        raise WebbuildError(
            "version-not-found",
            f"npm did not fetch onnxruntime-web {version}: {_npm_error(done.stderr)}",
            "see the versions with: npm view onnxruntime-web versions",
            exit_code=USAGE,
        )
    return packed[0]


def _npm_error(text: str) -> str:
    """Return npm's error message, without its code and the path of its log."""
    lines = [re.sub(r"^npm (error|ERR!)\s*(notarget|\d{3})?\s*", "", line) for line in text.splitlines()]
    messages = [
        line for line in lines if line and not line.startswith(("code ", "errno ", "syscall ", "A complete log"))
    ]
    return messages[0] if messages else "npm gave no reason"


def _unpack_dist(archive: Path, folder: Path) -> None:
    """Write the files of a package's `dist` by name only, since paths in an archive may lead outside of `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    with tarfile.open(archive) as opened:
        for member in opened:
            path = PurePosixPath(member.name)
            content = opened.extractfile(member) if member.isfile() else None
            if content is not None and path.parent == PurePosixPath("package/dist"):
                (folder / path.name).write_bytes(content.read())
