"""The engine's default entry stands in for the bundle's engine on the server, and in no file."""

from __future__ import annotations

import gzip
import hashlib
from pathlib import Path
from urllib.parse import urljoin
from urllib.request import urlopen

import msgspec
import pytest

from tests.verify.bundle_made import write_bundle
from webbuild import manifest as contract
from webbuild.browser.server import Server
from webbuild.errors import WebbuildError
from webbuild.verify.jsep import refuse_forced, stand_in


def fetch(url: str) -> bytes:
    with urlopen(url) as response:
        return bytes(response.read())


def test_the_manifest_names_the_build_and_vouches_for_it(tmp_path: Path) -> None:
    bundle = write_bundle(tmp_path / "double")
    with Server(bundle.directory) as server:
        engine = stand_in(server, bundle)
        served = contract.decode(fetch(f"{server.url}manifest.json"))
        (build,) = served.engines
        listed = {file.path: file for file in served.files}
        for path in (build.entry, build.glue, build.wasm):
            content = fetch(urljoin(server.url, path))
            assert hashlib.sha256(content).hexdigest() == listed[path].sha256
            assert "jsep" in path
        assert len(gzip.decompress(content)) == listed[build.wasm].inflated
    assert served.engine == engine
    assert [file for file in served.files if "jsep" not in file.path] == bundle.manifest.files


def test_the_bundle_stays_as_it_was(tmp_path: Path) -> None:
    bundle = write_bundle(tmp_path / "double")
    before = {path: path.read_bytes() for path in bundle.directory.rglob("*") if path.is_file()}
    with Server(bundle.directory) as server:
        stand_in(server, bundle)
    assert {path: path.read_bytes() for path in bundle.directory.rglob("*") if path.is_file()} == before


def test_nodes_that_must_run_on_the_cpu_are_refused(tmp_path: Path) -> None:
    bundle = write_bundle(tmp_path / "double")
    refuse_forced(bundle)
    graph = msgspec.structs.replace(bundle.manifest.graphs[0], target="webgpu", cpu_nodes=["/resize", "/pool"])
    manifest = msgspec.structs.replace(bundle.manifest, graphs=[*bundle.manifest.graphs, graph])
    with pytest.raises(WebbuildError, match=r"2 node\(s\) throw .* first '/resize'") as refused:
        refuse_forced(msgspec.structs.replace(bundle, manifest=manifest))
    assert refused.value.code == "forced-nodes"
