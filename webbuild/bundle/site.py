"""A static site of several bundles: a gallery, and a folder for each bundle. Shared files are stored once."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urlencode

import msgspec
from msgspec import Struct

from webbuild.browser.safe_path import resolve_inside
from webbuild.bundle.file_names import safe_file_name
from webbuild.bundle.hosting import HEADER_RULES, HeaderRule, headers_file, nginx_file, vercel_file
from webbuild.bundle.integrity import page_integrity
from webbuild.bundle.render import bundle_templates, render_loader, render_page
from webbuild.bundle.staging import check_output_folder, staged_folder
from webbuild.errors import USAGE, WebbuildError
from webbuild.manifest import manifest as contract
from webbuild.manifest.file_entry import file_entry, file_hash
from webbuild.manifest.manifest import File, Manifest
from webbuild.reporting.write import write_text
from webbuild.tasks.registry import kind_of
from webbuild.verify.changed_files import changed_files

_SHARED_FOLDERS = ("page/", "runtime/")
_OF_ONE_BUNDLE = {"_headers", "nginx.conf", "npm.js", "package.json", "service-worker.js", "vercel.json"}
_PARENT_URL = "../"
_STYLE = Path(__file__).parent / "templates" / "site.css"


class ModelCard(Struct, frozen=True):
    """The card of a model in the gallery."""

    name: str
    title: str
    description: str
    picture: contract.Sample | None
    size: str
    webgpu: bool


def write_site(bundles: Sequence[tuple[Path, Manifest]], out: Path, *, title: str, force: bool) -> None:
    """Write a site of bundles to `out`.

    Raises:
        WebbuildError: `name-collision`, `mixed-runtimes`, `output-exists`, `not-a-bundle`, `cannot-write`; see
        `check_files`.
    """
    check_output_folder(out, force=force, marks=("site.css",))
    _require_distinct_names([manifest.name for _, manifest in bundles])
    for directory, manifest in bundles:
        check_files(directory, manifest)
    with staged_folder(out) as folder:
        for directory, manifest in bundles:
            _copy_shared(directory, manifest, folder)
        worker = _service_worker_url([manifest.name for _, manifest in bundles])
        for directory, manifest in bundles:
            _copy_bundle(directory, manifest, folder, worker)
        shutil.copyfile(bundles[0][0] / "service-worker.js", folder / "service-worker.js")
        shutil.copyfile(_STYLE, folder / "site.css")
        cards = [_model_card(manifest) for _, manifest in bundles]
        page = bundle_templates(html=True).get_template("site.html.j2").render(title=title, cards=cards)
        write_text(folder / "index.html", page)
        _write_host_files([manifest.name for _, manifest in bundles], folder)


def _require_distinct_names(names: Sequence[str]) -> None:
    for name in names:
        if names.count(name) > 1:
            fix = "pack one of them again from a file of another name"
            raise WebbuildError("name-collision", f"two bundles are called {name}", fix, exit_code=USAGE)


def check_files(directory: Path, manifest: Manifest) -> None:
    """Raise for a bundle without a file of its manifest, with a path outside of its folder, or with a changed model.

    It may come from anyone, or have been copied in part. A model's new hash would hide that from every browser.

    Raises:
        WebbuildError: `bundle-not-found`, `invalid-manifest`, `changed-file`.
    """
    named = [file.path for file in manifest.files if not file.parts]
    wrong = [path for path in named if resolve_inside(directory.resolve(), path) is None]
    if wrong and all(path.startswith(tuple(f"{_PARENT_URL}{folder}" for folder in _SHARED_FOLDERS)) for path in wrong):
        what = f"{directory}: it is part of a site, which has its page and its runtime"
        raise WebbuildError("bundle-not-found", what, "give the folder that `webbuild pack` wrote", exit_code=USAGE)
    if wrong or safe_file_name(manifest.name) != manifest.name:
        what = f"{wrong[0]!r} is not a file of this bundle" if wrong else "its name is not one that webbuild gives"
        raise WebbuildError("invalid-manifest", f"{directory}: {what}", "pack the model again")
    models = (file for file in manifest.files if file.path.startswith("model/") and not file.parts)
    for changed in changed_files(directory, models):
        raise WebbuildError(changed.code, f"{directory}: {changed.message}", changed.fix)


def _copy_shared(directory: Path, manifest: Manifest, folder: Path) -> None:
    """Copy the shared files of all bundles to the top folder. Raises if this bundle has a different file."""
    for file in manifest.files:
        if not file.path.startswith(_SHARED_FOLDERS):
            continue
        target = folder / file.path
        if not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(directory / file.path, target)
        elif file_hash(target) != file.sha256:
            raise WebbuildError(
                "mixed-runtimes",
                f"{directory}: its {file.path} differs from the other bundles'",
                "pack all of them with one version of webbuild",
                exit_code=USAGE,
            )


def _service_worker_url(names: Sequence[str]) -> str:
    """Return the service worker's address relative to a bundle's page; parameters: the manifests and the gallery."""
    query = [*(("manifest", f"{name}/manifest.json") for name in names), ("page", "site.css")]
    return f"{_PARENT_URL}service-worker.js?{urlencode(query, safe='/')}"


def _copy_bundle(directory: Path, manifest: Manifest, folder: Path, worker: str) -> None:
    own = folder / manifest.name
    own.mkdir()
    for file in manifest.files:
        if file.parts or file.path.startswith(_SHARED_FOLDERS) or file.path in _OF_ONE_BUNDLE:
            continue
        (own / file.path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(directory / file.path, own / file.path)
    write_text(own / f"{manifest.name}.js", render_loader(_PARENT_URL))
    for name in (f"{manifest.name}.d.ts", "report.html"):
        text = (own / name).read_text("utf-8")
        moved = text.replace('"./runtime/', f'"{_PARENT_URL}runtime/').replace(
            'href="page/', f'href="{_PARENT_URL}page/'
        )
        write_text(own / name, moved)
    page = render_page(manifest, page_integrity(manifest.name, own, _PARENT_URL), top=_PARENT_URL, offline=worker)
    write_text(own / "index.html", page)
    (own / "manifest.json").write_bytes(contract.encode(_rebase_manifest(manifest, own)))


def _rebase_manifest(manifest: Manifest, own: Path) -> Manifest:
    """Return the manifest of a bundle whose page and runtime are in the parent folder."""
    engines = [
        msgspec.structs.replace(
            build,
            entry=f"{_PARENT_URL}{build.entry}",
            glue=f"{_PARENT_URL}{build.glue}",
            wasm=f"{_PARENT_URL}{build.wasm}",
        )
        for build in manifest.engines
    ]
    files = [_rebase_file(file, own) for file in manifest.files if file.path not in _OF_ONE_BUNDLE]
    return msgspec.structs.replace(manifest, engines=engines, files=files)


def _rebase_file(file: File, own: Path) -> File:
    if file.path.startswith(_SHARED_FOLDERS):
        return msgspec.structs.replace(file, path=f"{_PARENT_URL}{file.path}")
    return file if file.parts else file_entry(own / file.path, own)


def _model_card(manifest: Manifest) -> ModelCard:
    fp32_graphs = [graph for graph in manifest.graphs if graph.precision == "fp32"]
    used = {path for graph in fp32_graphs for path in (graph.file, *graph.weights)}
    size = sum(file.size for file in manifest.files if file.path in used)
    picture = manifest.samples[0] if manifest.samples else None
    webgpu = any(graph.target == "webgpu" for graph in manifest.graphs)
    return ModelCard(
        manifest.name, manifest.title, kind_of(manifest.task).description, picture, _describe_size(size), webgpu
    )


def _describe_size(size: int) -> str:
    return f"{size / 1e6:.1f} MB" if size >= 1e6 else f"{max(1, round(size / 1e3))} kB"


def _write_host_files(names: Sequence[str], folder: Path) -> None:
    """Write the hosts' files: the rules of a bundle for every model's folder."""
    inner = [
        HeaderRule(f"{name}/{rule.folder}", rule.headers) for rule in HEADER_RULES if rule.folder for name in names
    ]
    rules = [*(rule for rule in HEADER_RULES if not rule.folder), *inner]
    write_text(folder / "_headers", headers_file(rules))
    write_text(folder / "vercel.json", vercel_file(rules))
    write_text(folder / "nginx.conf", nginx_file(rules))
