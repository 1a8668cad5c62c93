"""The engine's default entry stands in for the bundle's engine on the server, and in no file."""

from __future__ import annotations

import hashlib
from pathlib import Path
from urllib.parse import urljoin
from urllib.request import urlopen

import msgspec
import zstandard

from tests.verify.bundle_made import write_bundle
from webbuild import manifest as contract
from webbuild.browser.server import Server
from webbuild.manifest import Withheld
from webbuild.verify.jsep import stand_in, without_unfit


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
        assert len(zstandard.decompress(content)) == listed[build.wasm].inflated
    assert served.engine == engine
    assert [file for file in served.files if "jsep" not in file.path] == bundle.manifest.files


def test_the_bundle_stays_as_it_was(tmp_path: Path) -> None:
    bundle = write_bundle(tmp_path / "double")
    before = {path: path.read_bytes() for path in bundle.directory.rglob("*") if path.is_file()}
    with Server(bundle.directory) as server:
        stand_in(server, bundle)
    assert {path: path.read_bytes() for path in bundle.directory.rglob("*") if path.is_file()} == before


def test_a_graph_that_it_must_not_run_is_taken_out_and_the_reason_stays(tmp_path: Path) -> None:
    bundle = write_bundle(tmp_path / "double")
    assert without_unfit(bundle) == bundle
    reason = Withheld(build="jsep", code="force-cpu", why="2 node(s) must run on the CPU")
    graph = msgspec.structs.replace(bundle.manifest.graphs[0], target="webgpu", cpu_nodes=["/resize", "/pool"])
    others = [each for each in bundle.manifest.graphs if each.target != "webgpu"]
    manifest = msgspec.structs.replace(bundle.manifest, graphs=[*others, graph], withheld=[reason])
    unfit = without_unfit(msgspec.structs.replace(bundle, manifest=manifest))
    assert unfit.manifest.graphs == others
    assert unfit.manifest.withheld == [msgspec.structs.replace(reason, build="webgpu")]
    assert unfit.withholds("webgpu")
    assert not unfit.withholds("wasm")


def test_it_is_never_given_a_graph_in_half_precision(tmp_path: Path) -> None:
    bundle = write_bundle(tmp_path / "double")
    whole = bundle.manifest.graphs
    half = msgspec.structs.replace(whole[0], target="webgpu", precision="mixed", features=["shader-f16"])
    manifest = msgspec.structs.replace(bundle.manifest, graphs=[half, *whole])
    assert without_unfit(msgspec.structs.replace(bundle, manifest=manifest)).manifest.graphs == whole
