"""Opening a bundle: what is refused, and which files have changed."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import numpy as np
import pytest

from tests.verify.bundle_made import ANSWERS, FEEDS, write_bundle
from webbuild.errors import WebbuildError
from webbuild.verify.bundle import Bundle
from webbuild.verify.bundle_reader import fp16_backend_used, open_bundle, planned_gpu_bytes
from webbuild.verify.changed_files import changed_files
from webbuild.verify.golden_reader import read_golden


@pytest.fixture
def bundle(tmp_path: Path) -> Bundle:
    return write_bundle(tmp_path / "double")


def test_opens(bundle: Bundle) -> None:
    assert open_bundle(bundle.directory) == bundle
    assert bundle.loader_file == "double.js"
    assert bundle.graph("wasm") is not None
    assert bundle.graph("webgpu") is None
    assert list(changed_files(bundle.directory, bundle.manifest.files)) == []


@pytest.mark.parametrize(
    ("text", "code", "exit_code"),
    [
        (None, "bundle-not-found", 2),
        (b"", "invalid-manifest", 1),
        (b"{}", "invalid-manifest", 1),
        (b"\xff\xfe", "invalid-manifest", 1),
        (b'{"schema": "1"}', "invalid-manifest", 1),
        (b'{"schema": 3}', "unsupported-schema", 1),
    ],
)
def test_what_is_no_bundle(tmp_path: Path, text: bytes | None, code: str, exit_code: int) -> None:
    if text is not None:
        (tmp_path / "manifest.json").write_bytes(text)
    with pytest.raises(WebbuildError) as caught:
        open_bundle(tmp_path)
    assert (caught.value.code, caught.value.exit_code) == (code, exit_code)


@pytest.mark.parametrize(
    ("schema", "fix"), [(0, "pack the model again with this webbuild"), (3, "update webbuild")], ids=["older", "newer"]
)
def test_a_manifest_of_another_schema_says_who_wrote_it(bundle: Bundle, schema: int, fix: str) -> None:
    path = bundle.directory / "manifest.json"
    other = {**json.loads(path.read_bytes()), "schema": schema, "novelty": 1, "generator": {"version": "9.8\x1b"}}
    path.write_text(json.dumps(other))
    with pytest.raises(WebbuildError, match=rf"schema {schema}, written by webbuild 9\.8") as caught:
        open_bundle(bundle.directory)
    assert caught.value.code == "unsupported-schema"
    assert caught.value.fix.startswith(fix)
    assert "\x1b" not in str(caught.value)


def test_a_changed_and_a_missing_file_are_named(bundle: Bundle) -> None:
    (bundle.directory / "golden" / "x.bin").write_bytes(bytes(24))
    (bundle.directory / "golden" / "y.bin").unlink()
    found = {problem.code: problem.message for problem in changed_files(bundle.directory, bundle.manifest.files)}
    assert set(found) == {"changed-file", "missing-file"}
    assert "golden/x.bin" in found["changed-file"]
    assert "golden/y.bin" in found["missing-file"]


def test_golden_tensors(bundle: Bundle) -> None:
    recorded = read_golden(bundle)
    assert recorded is not None
    for read, written in zip(recorded, (FEEDS, ANSWERS), strict=True):
        assert {name: value.tolist() for name, value in read.items()} == {n: v.tolist() for n, v in written.items()}


@pytest.mark.parametrize("data", [b"", b"123", np.zeros(5, np.float32).tobytes()])
def test_a_golden_file_of_another_size_is_refused(bundle: Bundle, data: bytes) -> None:
    (bundle.directory / "golden" / "y.bin").write_bytes(data)
    with pytest.raises(WebbuildError, match=r"golden/y\.bin"):
        read_golden(bundle)


def test_graphs_have_names_by_backend_and_precision(bundle: Bundle) -> None:
    (wasm,) = bundle.manifest.graphs
    webgpu = msgspec.structs.replace(wasm, target="webgpu")
    mixed = msgspec.structs.replace(webgpu, precision="mixed")
    manifest = msgspec.structs.replace(bundle.manifest, graphs=[mixed, webgpu, wasm])
    both = msgspec.structs.replace(bundle, manifest=manifest)
    assert (both.graph("webgpu"), both.graph("webgpu mixed")) == (webgpu, mixed)
    assert both.graph_names(["webgpu", "wasm"]) == ["webgpu mixed", "webgpu", "wasm"]
    assert both.graph_names(["webgpu", "wasm"], "fp32") == ["webgpu", "wasm"]
    assert both.graph_names(["webgpu", "wasm"], "mixed") == ["webgpu mixed"]
    assert bundle.graph_names(["webgpu", "wasm"]) == ["webgpu", "wasm"]
    with pytest.raises(WebbuildError, match="no fp16 graph") as caught:
        both.graph_names(["webgpu"], "fp16")
    assert "mixed, fp32" in caught.value.fix


def test_what_computed_half_precision_is_read_where_a_report_says_so(bundle: Bundle) -> None:
    report = bundle.directory / "report.json"
    report.unlink(missing_ok=True)
    assert fp16_backend_used(bundle) == ""
    for text, wanted in (
        ("[1]", ""),
        ("{", ""),
        ("{}", ""),
        ('{"fp16Backend": "GPU\\u001b[31m"}', "GPU\\x1b[31m"),
    ):
        report.write_text(text)
        assert fp16_backend_used(bundle) == wanted


def test_the_planned_memory_of_the_gpu_is_read_where_a_report_says_so(bundle: Bundle) -> None:
    report = bundle.directory / "report.json"
    for text, wanted in (
        ("{}", None),
        ('{"inspection": {}}', None),
        ('{"inspection": {"peakAfter": null}}', None),
        ('{"inspection": {"peakAfter": {"weights": 3, "tensors": 4, "where": "Mul"}}}', 7),
    ):
        report.write_text(text)
        assert planned_gpu_bytes(bundle) == wanted
