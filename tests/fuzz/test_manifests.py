"""Any manifest: the bundle is opened and read, or refused with a fix, in little memory and time."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fuzz import damage
from tests.fuzz.bounds import tried, typed_end
from tests.manifests import manifest
from tests.verify.bundle_made import write_bundle
from webbuild.bench.bench import select_backends
from webbuild.manifest.manifest import TensorTask, encode
from webbuild.verify.bundle_reader import open_bundle
from webbuild.verify.changed_files import changed_files
from webbuild.verify.golden_reader import read_golden
from webbuild.verify.inputs import collect_inputs
from webbuild.verify.reference import check_golden_run, reference_runner


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[bytes]]:
    """Return a bundle's folder, and manifests to damage: its own and synthetic ones."""
    bundle = write_bundle(tmp_path_factory.mktemp("fuzzed") / "double")
    own = (bundle.directory / "manifest.json").read_bytes()
    return bundle.directory, [own, own, encode(manifest()), encode(manifest(TensorTask()))]


@pytest.mark.timeout(7200)
@tried(few=60, many=5_000)
@given(st.data())
def test_any_manifest_is_read_or_refused(whole: tuple[Path, list[bytes]], data: st.DataObject) -> None:
    folder, manifests = whole
    (folder / "manifest.json").write_bytes(damage.json_of(data.draw(st.sampled_from(manifests)), data.draw))
    with typed_end("manifests"):
        bundle = open_bundle(folder)
        list(changed_files(bundle.directory, bundle.manifest.files))
        select_backends(bundle, [])
        collect_inputs(bundle, [])
        read_golden(bundle)
        check_golden_run(bundle, reference_runner(bundle))
