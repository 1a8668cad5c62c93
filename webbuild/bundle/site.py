"""A static site of several bundles: a gallery, a folder for each, what they have in common stored once."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urlencode

import msgspec
from msgspec import Struct

from webbuild import manifest as contract
from webbuild.browser.confine import confined
from webbuild.bundle.hosting import RULES, Rule, headers_file, nginx_file, vercel_file
from webbuild.bundle.integrity import of_page
from webbuild.bundle.names import safe_name
from webbuild.bundle.pages import environment, render_loader, render_page
from webbuild.bundle.staging import check_place, staged
from webbuild.errors import USAGE, WebbuildError
from webbuild.manifest import File, Manifest
from webbuild.stored import describe

_SHARED = ("page/", "runtime/")
_OF_ONE_BUNDLE = {"_headers", "nginx.conf", "npm.js", "package.json", "service-worker.js", "vercel.json"}
_TOP = "../"
_STYLE = Path(__file__).parent / "templates" / "site.css"


class Card(Struct, frozen=True):
    """What the gallery shows of a model."""

    name: str
    title: str
    words: str
    picture: contract.Sample | None
    size: str
    webgpu: bool


_WORDS = {
    "classify": "Says what a picture shows",
    "depth": "Says how far away things are",
    "detect": "Finds things, with boxes around them",
    "obb": "Finds things, in boxes that turn with them",
    "panoptic": "Divides a picture into regions",
    "phrases": "Finds what it is told in words",
    "pose": "Finds people and their keypoints",
    "segment": "Finds things and the pixels of each",
    "tensor": "Takes tensors, returns tensors",
}


def build_site(bundles: Sequence[tuple[Path, Manifest]], out: Path, *, title: str, force: bool) -> None:
    """Write a site of bundles to `out`.

    Raises:
        WebbuildError: `same-name`, `bad-manifest`, `several-runtimes`, `output-exists`, `not-a-bundle`, `cannot-write`.
    """
    check_place(out, force=force, marks=("site.css", "manifest.json"))
    _refuse_twins([manifest.name for _, manifest in bundles])
    for directory, manifest in bundles:
        _refuse_ways_out(directory, manifest)
    with staged(out) as folder:
        for directory, manifest in bundles:
            _share(directory, manifest, folder)
        worker = _worker([manifest.name for _, manifest in bundles])
        for directory, manifest in bundles:
            _place(directory, manifest, folder, worker)
        shutil.copyfile(bundles[0][0] / "service-worker.js", folder / "service-worker.js")
        shutil.copyfile(_STYLE, folder / "site.css")
        cards = [_card(manifest) for _, manifest in bundles]
        page = environment(html=True).get_template("site.html.j2").render(title=title, cards=cards)
        (folder / "index.html").write_text(page, "utf-8")
        _write_hosting([manifest.name for _, manifest in bundles], folder)


def _refuse_twins(names: Sequence[str]) -> None:
    for name in names:
        if names.count(name) > 1:
            mend = "pack one of them again from a file of another name"
            raise WebbuildError("same-name", f"two bundles are called {name}", mend, exit_code=USAGE)


def _refuse_ways_out(directory: Path, manifest: Manifest) -> None:
    """Raise for a manifest that names a file which is not in its folder, or not there: it may be anybody's."""
    named = [file.path for file in manifest.files if not file.parts]
    wrong = [path for path in named if confined(directory.resolve(), path) is None]
    if wrong or safe_name(manifest.name) != manifest.name:
        what = f"{wrong[0]!r} is not a file of this bundle" if wrong else "its name is not one that webbuild gives"
        raise WebbuildError("bad-manifest", f"{directory}: {what}", "pack the model again")


def _share(directory: Path, manifest: Manifest, folder: Path) -> None:
    """Put what all bundles have at the top. Raises where this one has something else there."""
    for file in manifest.files:
        if not file.path.startswith(_SHARED):
            continue
        target = folder / file.path
        if not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(directory / file.path, target)
        elif describe(target, folder).sha256 != file.sha256:
            raise WebbuildError(
                "several-runtimes",
                f"{directory}: its {file.path} is not that of the other bundles",
                "pack all of them with one version of webbuild",
                exit_code=USAGE,
            )


def _worker(names: Sequence[str]) -> str:
    """Return the address of the service worker from a bundle's page, with what it serves."""
    query = [*(("manifest", f"{name}/manifest.json") for name in names), ("page", "site.css")]
    return f"{_TOP}service-worker.js?{urlencode(query, safe='/')}"


def _place(directory: Path, manifest: Manifest, folder: Path, worker: str) -> None:
    own = folder / manifest.name
    own.mkdir()
    for file in manifest.files:
        if file.parts or file.path.startswith(_SHARED) or file.path in _OF_ONE_BUNDLE:
            continue
        (own / file.path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(directory / file.path, own / file.path)
    (own / f"{manifest.name}.js").write_text(render_loader(_TOP), "utf-8")
    for name in (f"{manifest.name}.d.ts", "report.html"):
        text = (own / name).read_text("utf-8")
        moved = text.replace('"./runtime/', f'"{_TOP}runtime/').replace('href="page/', f'href="{_TOP}page/')
        (own / name).write_text(moved, "utf-8")
    page = render_page(manifest, of_page(manifest.name, own, _TOP), top=_TOP, offline=worker)
    (own / "index.html").write_text(page, "utf-8")
    (own / "manifest.json").write_bytes(contract.encode(_moved(manifest, own)))


def _moved(manifest: Manifest, own: Path) -> Manifest:
    """Return the manifest for a folder whose page and runtime lie beside it."""
    engines = [
        msgspec.structs.replace(
            build, entry=f"{_TOP}{build.entry}", glue=f"{_TOP}{build.glue}", wasm=f"{_TOP}{build.wasm}"
        )
        for build in manifest.engines
    ]
    files = [_moved_file(file, own) for file in manifest.files if file.path not in _OF_ONE_BUNDLE]
    return msgspec.structs.replace(manifest, engines=engines, files=files)


def _moved_file(file: File, own: Path) -> File:
    if file.path.startswith(_SHARED):
        return msgspec.structs.replace(file, path=f"{_TOP}{file.path}")
    return file if file.parts else describe(own / file.path, own)


def _card(manifest: Manifest) -> Card:
    kind = str(manifest.task.__struct_config__.tag)
    whole = [graph for graph in manifest.graphs if graph.precision == "fp32"]
    used = {path for graph in whole for path in (graph.file, *graph.weights)}
    size = sum(file.size for file in manifest.files if file.path in used)
    picture = manifest.samples[0] if manifest.samples else None
    webgpu = any(graph.target == "webgpu" for graph in manifest.graphs)
    return Card(manifest.name, manifest.title, _WORDS[kind], picture, _in_words(size), webgpu)


def _in_words(size: int) -> str:
    return f"{size / 1e6:.1f} MB" if size >= 1e6 else f"{max(1, round(size / 1e3))} kB"


def _write_hosting(names: Sequence[str], folder: Path) -> None:
    """Say for every model's folder what is said for that of one bundle."""
    inner = [Rule(f"{name}/{rule.folder}", rule.headers) for rule in RULES if rule.folder for name in names]
    rules = [*(rule for rule in RULES if not rule.folder), *inner]
    (folder / "_headers").write_text(headers_file(rules), "utf-8")
    (folder / "vercel.json").write_text(vercel_file(rules), "utf-8")
    (folder / "nginx.conf").write_text(nginx_file(rules), "utf-8")
