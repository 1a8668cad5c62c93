"""A gallery site of several bundles, tested without a browser."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

from tests.manifests import manifest as example_manifest
from webbuild.bundle.emit import write_manifest
from webbuild.bundle.site import write_site
from webbuild.errors import WebbuildError
from webbuild.manifest.manifest import EngineBuild, Manifest, decode

RUNTIME = ("page/page.css", "page/page.js", "runtime/webbuild.js", "runtime/worker.js", "runtime/ort/e.mjs")
BUILD = EngineBuild(build="wasm", entry="runtime/ort/e.mjs", glue="runtime/ort/e.mjs", wasm="runtime/ort/e.mjs")


def bundle(folder: Path, name: str, runtime: str = "") -> tuple[Path, Manifest]:
    """Return a folder with the bundle files that a site reads."""
    own = (f"{name}.js", f"{name}.d.ts", "report.html", "service-worker.js", "_headers", "npm.js")
    for path in (*RUNTIME, *own, "model/weights.bin"):
        file = folder / name / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f'{path} {runtime} from "./runtime/webbuild.js" href="page/report.css"')
    described = msgspec.structs.replace(
        example_manifest(), name=name, title=f"<{name}>", engines=[BUILD], files=[], samples=[]
    )
    write_manifest(described, folder / name)
    return folder / name, decode((folder / name / "manifest.json").read_bytes())


@pytest.fixture
def site(tmp_path: Path) -> Path:
    write_site([bundle(tmp_path, "a"), bundle(tmp_path, "b")], tmp_path / "site", title="Two & more", force=False)
    return tmp_path / "site"


def test_what_bundles_share_is_there_once(site: Path) -> None:
    assert [path.relative_to(site).as_posix() for path in site.rglob("worker.js")] == ["runtime/worker.js"]
    assert not list(site.glob("*/runtime/*/*")) + list(site.glob("*/page/*"))
    assert len(list(site.rglob("weights.bin"))) == 2
    assert [path.parent for path in site.rglob("_headers")] == [site]


def test_every_file_of_a_manifest_is_where_it_says_and_what_it_says(site: Path) -> None:
    for name in ("a", "b"):
        manifest = decode((site / name / "manifest.json").read_bytes())
        assert manifest.engines[0].wasm == "../runtime/ort/e.mjs"
        assert "../runtime/worker.js" in [file.path for file in manifest.files]
        for file in manifest.files:
            assert (site / name / file.path).stat().st_size == file.size, file.path


def test_scripts_and_pages_look_for_the_runtime_above(site: Path) -> None:
    assert 'from "../runtime/webbuild.js"' in (site / "a" / "a.js").read_text()
    assert '"../runtime/webbuild.js"' in (site / "a" / "a.d.ts").read_text()
    assert 'href="../page/report.css"' in (site / "a" / "report.html").read_text()
    page = (site / "a" / "index.html").read_text()
    assert 'src="../page/page.js" integrity="sha384-' in page
    assert (
        'data-offline="../service-worker.js?manifest=a/manifest.json&amp;manifest=b/manifest.json&amp;page=site.css"'
        in page
    )
    assert '"./page/' not in page


def test_the_gallery_names_every_model_and_escapes_it(site: Path) -> None:
    page = (site / "index.html").read_text()
    assert "<title>Two &amp; more</title>" in page
    assert ("&lt;a&gt;" in page, "<a>" in page, 'href="./b/"' in page) == (True, False, True)
    assert "1 kB · WebGPU" in page
    assert "<script" not in page
    assert "style=" not in page


def test_the_hosts_keep_every_models_weights(site: Path) -> None:
    sources = [rule["source"] for rule in json.loads((site / "vercel.json").read_text())["headers"]]
    assert sources == ["/(.*)", "/a/model/(.*)", "/b/model/(.*)"]


def refused(tmp_path: Path, *bundles: tuple[Path, Manifest]) -> str:
    with pytest.raises(WebbuildError) as caught:
        write_site(bundles, tmp_path / "site", title="", force=False)
    assert not (tmp_path / "site").exists()
    return caught.value.code


def test_bundles_that_do_not_fit_together_are_refused(tmp_path: Path) -> None:
    one, other = bundle(tmp_path, "a"), bundle(tmp_path, "b", runtime="of another version")
    assert refused(tmp_path, one, other) == "mixed-runtimes"
    assert refused(tmp_path, one, one) == "name-collision"


@pytest.mark.parametrize("path", ["../secret", "/etc/passwd", "model/../../secret", "gone.bin"])
def test_a_manifest_leads_nowhere_else(tmp_path: Path, path: str) -> None:
    (tmp_path / "secret").write_text("")
    directory, manifest = bundle(tmp_path, "a")
    files = [*manifest.files, msgspec.structs.replace(manifest.files[0], path=path)]
    assert refused(tmp_path, (directory, msgspec.structs.replace(manifest, files=files))) == "invalid-manifest"
    assert refused(tmp_path, (directory, msgspec.structs.replace(manifest, name="../a"))) == "invalid-manifest"


def test_a_bundle_inside_a_site_is_named_as_such(tmp_path: Path, site: Path) -> None:
    inside = site / "a"
    with pytest.raises(WebbuildError, match="part of a site") as caught:
        write_site(
            [(inside, decode((inside / "manifest.json").read_bytes()))], tmp_path / "other", title="", force=False
        )
    assert caught.value.code == "bundle-not-found"


def test_a_model_that_changed_after_packing_is_refused(tmp_path: Path) -> None:
    """A site computes new hashes: a browser would not see that the file is cut off."""
    directory, manifest = bundle(tmp_path, "a")
    (directory / "model" / "weights.bin").write_text("cut off")
    assert refused(tmp_path, (directory, manifest)) == "changed-file"


def test_a_site_is_replaced_and_another_folder_is_not(tmp_path: Path, site: Path) -> None:
    again = [bundle(tmp_path / "again", "c")]
    write_site(again, site, title="", force=True)
    assert not (site / "a").exists()
    for other in (tmp_path / "again", again[0][0]):  # a folder with a bundle in it, the bundle itself
        with pytest.raises(WebbuildError, match="this command did not write it"):
            write_site(again, other, title="", force=True)
    assert (tmp_path / "again" / "c" / "manifest.json").is_file()
