"""Bundles with damaged files: each change is detected; what is still readable is read, or refused with a fix."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.fuzz import damage
from tests.fuzz.bounds import tried, typed_end
from tests.verify.bundle_made import write_bundle
from webbuild.verify.bundle_reader import open_bundle
from webbuild.verify.changed_files import changed_files
from webbuild.verify.golden_reader import read_golden
from webbuild.verify.inputs import collect_inputs
from webbuild.verify.reference import check_golden_run, reference_runner, run_reference


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[Path, bytes]:
    """Return the contents of the files that a bundle's manifest lists."""
    bundle = write_bundle(tmp_path_factory.mktemp("damaged") / "double")
    assert list(changed_files(bundle.directory, bundle.manifest.files)) == []
    return {file: file.read_bytes() for file in bundle.directory.rglob("*") if file.is_file()}


@pytest.mark.timeout(7200)
@tried(few=60, many=2_000)
@given(st.data())
def test_any_file_of_a_bundle_is_found_changed(whole: dict[Path, bytes], data: st.DataObject) -> None:
    for file, content in whole.items():
        file.write_bytes(content)
    manifest = next(file for file in whole if file.name == "manifest.json")
    file = data.draw(st.sampled_from(sorted(whole.keys() - {manifest})))
    changed = damage.bytes_of(whole[file], data.draw)
    assume(changed != whole[file])
    file.write_bytes(changed)
    with typed_end("bundles"):
        bundle = open_bundle(manifest.parent)
        assert [each for each in changed_files(bundle.directory, bundle.manifest.files) if file.name in str(each)] != []
        read_golden(bundle)
        check_golden_run(bundle, reference_runner(bundle))
        run_reference(bundle, reference_runner(bundle), collect_inputs(bundle, []))
