"""Weights larger than a shard: split into parts, and joined again wherever the model runs."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
import onnx
import pytest

from tests.commands.program import hashes, pack
from tests.models import HEADER, parsed, save, save_external, weights
from webbuild.bundle import weight_shards as sharing
from webbuild.bundle.weight_parts import split_large_files
from webbuild.manifest.manifest import Manifest
from webbuild.verify.bundle_reader import open_bundle
from webbuild.verify.changed_files import changed_files
from webbuild.verify.reference import check_golden_run, reference_runner

LIMIT = 5000


@pytest.fixture(autouse=True)
def small_shards(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sharing, "SHARD_BYTES", LIMIT)


def table() -> onnx.ModelProto:
    """Return a model that looks up a row of a table and multiplies it: two weights of 16,384 bytes."""
    text = f"{HEADER} g (int64[1] i) => (float[1,64] y) {{ row = Gather (table, i) y = MatMul (row, scale) }}"
    model = parsed(text)
    model.graph.initializer.append(onnx.numpy_helper.from_array(weights(64, 64), "table"))
    model.graph.initializer.append(onnx.numpy_helper.from_array(weights(64, 16, seed=1).repeat(4, 1), "scale"))
    return model


@pytest.fixture
def packed(tmp_path: Path, stand_in: None) -> Manifest:
    return pack(save_external(table(), tmp_path / "m.onnx", "m.data"))


@pytest.mark.parametrize(("size", "parts"), [(1, 0), (LIMIT, 0), (LIMIT + 1, 2), (2 * LIMIT, 2), (2 * LIMIT + 1, 3)])
def test_a_file_is_cut_where_it_must_be(tmp_path: Path, size: int, parts: int) -> None:
    data = np.random.default_rng(0).bytes(size)
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "weights-abc.bin").write_bytes(data)
    cut = split_large_files(tmp_path)
    if not parts:
        assert cut == []
        assert (tmp_path / "model" / "weights-abc.bin").read_bytes() == data
        return
    (file,) = cut
    assert (file.path, file.size, file.sha256) == ("model/weights-abc.bin", size, hashlib.sha256(data).hexdigest())
    assert len(file.parts) == parts
    assert b"".join((tmp_path / part).read_bytes() for part in file.parts) == data
    assert {path.name for path in (tmp_path / "model").iterdir()} == {Path(part).name for part in file.parts}
    assert max((tmp_path / part).stat().st_size for part in file.parts) <= LIMIT


def test_no_file_of_the_bundle_is_larger_than_a_shard(tmp_path: Path, packed: Manifest) -> None:
    assert max(path.stat().st_size for path in (tmp_path / "out" / "model").iterdir()) <= LIMIT
    whole = [file for file in packed.files if file.parts]
    assert {file.size for file in whole} == {64 * 64 * 4}
    assert {path for graph in packed.graphs for path in graph.weights} >= {file.path for file in whole}
    listed = {file.path: file for file in packed.files}
    for file in whole:
        assert sum(listed[part].size for part in file.parts) == file.size
        assert not (tmp_path / "out" / file.path).exists()


def test_the_reference_runs_on_the_joined_weights(tmp_path: Path, packed: Manifest) -> None:
    bundle = open_bundle(tmp_path / "out")
    before = hashes(tmp_path / "out")
    checks = check_golden_run(bundle, reference_runner(bundle))
    assert [check.verdict for check in checks] == ["OK"]
    assert hashes(tmp_path / "out") == before


def test_another_weight_in_a_part_gives_another_answer(tmp_path: Path, packed: Manifest) -> None:
    bundle = open_bundle(tmp_path / "out")
    for file in packed.files:
        if "weights" in file.path and not file.parts:
            numbers = np.fromfile(bundle.directory / file.path, np.float32)
            (2 * numbers).tofile(bundle.directory / file.path)
    assert "DIFFERS" in [check.verdict for check in check_golden_run(bundle, reference_runner(bundle))]


def test_a_changed_and_a_missing_part_are_named(tmp_path: Path, packed: Manifest) -> None:
    bundle = open_bundle(tmp_path / "out")
    assert list(changed_files(bundle.directory, bundle.manifest.files)) == []
    first, second = (file for file in packed.files if file.parts)
    (bundle.directory / first.parts[0]).write_bytes(bytes(LIMIT))
    (bundle.directory / second.parts[-1]).unlink()
    found = [
        (problem.code, problem.message.split()[0]) for problem in changed_files(bundle.directory, bundle.manifest.files)
    ]
    assert set(found) == {
        ("changed-file", first.path),
        ("changed-file", first.parts[0]),
        ("missing-file", second.parts[-1]),
    }


def test_where_weights_lay_makes_no_difference(tmp_path: Path, packed: Manifest) -> None:
    inside = save(table(), tmp_path / "inside" / "m.onnx")
    pack(inside)
    kept = {name: digest for name, digest in hashes(tmp_path / "inside" / "out").items() if name.startswith("model/")}
    assert kept == {n: digest for n, digest in hashes(tmp_path / "out").items() if n.startswith("model/")}
