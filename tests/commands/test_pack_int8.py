"""Weights stored as integers: packed, listed, dequantized and reported."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import onnx
import pytest
from numpy.typing import NDArray

from tests.commands.program import hashes, pack, refused, webbuild
from tests.models import HEADER, parsed, save, weights
from webbuild.bundle import weight_shards as sharing
from webbuild.errors import WebbuildError
from webbuild.manifest.manifest import File, Manifest
from webbuild.verify.bundle_reader import open_bundle
from webbuild.verify.changed_files import changed_files
from webbuild.verify.merged_weights import materialize_graph
from webbuild.verify.reference import check_golden_run, reference_runner

INT8 = ("--weight-dtype", "int8")


def model(nodes: str, **tensors: NDArray[np.float32]) -> onnx.ModelProto:
    """Return a model of [1, 64] to [1, 64]."""
    made = parsed(f"{HEADER} g (float[1,64] x) => (float[1,64] y) {{ {nodes} }}")
    made.graph.initializer.extend(onnx.numpy_helper.from_array(array, name) for name, array in tensors.items())
    return made


def layers() -> onnx.ModelProto:
    nodes = "a = MatMul (x, first) b = Abs (a) y = MatMul (b, second)"
    return model(nodes, first=weights(64, 64) * np.float32(0.125), second=weights(64, 64, seed=1))


def angles(first: float, second: float) -> onnx.ModelProto:
    """Return a model of two layers, each followed by a cosine; the weights are scaled by `first` and `second`."""
    nodes = "a = MatMul (x, first) b = Cos (a) c = MatMul (b, second) y = Cos (c)"
    return model(nodes, first=weights(64, 64) * np.float32(first), second=weights(64, 64, seed=1) * np.float32(second))


@pytest.fixture
def packed(tmp_path: Path, stand_in: None) -> Manifest:
    return pack(save(layers(), tmp_path / "m.onnx"), *INT8)


def stored(manifest: Manifest) -> File:
    (file,) = (file for file in manifest.files if file.quantization == "int8")
    return file


def test_the_weights_are_a_third_of_the_floats(tmp_path: Path, packed: Manifest) -> None:
    file = stored(packed)
    assert file.uncompressed_size == 2 * 64 * 64 * 4
    assert 0.2 < file.size / file.uncompressed_size < 0.32
    listed = {each.path: each for each in packed.files}
    assert [listed[part].encoding for part in file.parts] == ["gzip"]
    assert sum(listed[part].size for part in file.parts) == file.size
    assert not (tmp_path / "out" / file.path).exists()
    assert {(graph.weight_dtype, *graph.weights) for graph in packed.graphs} == {("int8", file.path)}


def test_the_reference_is_the_graph_with_what_comes_back(tmp_path: Path, packed: Manifest) -> None:
    bundle = open_bundle(tmp_path / "out")
    before = hashes(tmp_path / "out")
    assert list(changed_files(bundle.directory, bundle.manifest.files)) == []
    (check,) = check_golden_run(bundle, reference_runner(bundle))
    assert check.verdict == "OK"
    assert check.max_abs == 0
    with materialize_graph(bundle, packed.graphs[0]) as path:
        floats = np.fromfile(path.with_name(Path(stored(packed).path).name), np.float32).reshape(2, 64, 64)
    original = np.stack([weights(64, 64) / 8, weights(64, 64, seed=1)])
    moved = np.abs(floats - original).max(axis=(1, 2)) / np.abs(original).max(axis=(1, 2))
    assert (moved <= 0.5 / 127 * 1.0001).all()
    assert (moved > 1e-4).all()
    assert hashes(tmp_path / "out") == before


def test_other_numbers_give_another_answer(tmp_path: Path, packed: Manifest) -> None:
    bundle = open_bundle(tmp_path / "out")
    part = bundle.directory / stored(packed).parts[0]
    content = bytearray(gzip.decompress(part.read_bytes()))
    content[-4096:] = bytes(4096)
    part.write_bytes(gzip.compress(content))
    assert {problem.code for problem in changed_files(bundle.directory, bundle.manifest.files)} == {"changed-file"}
    assert [check.verdict for check in check_golden_run(bundle, reference_runner(bundle))] == ["DIFFERS"]


BROKEN = {
    "empty": b"",
    "no gzip": b"text",
    "cut off": gzip.compress(bytes(99), mtime=0)[:-3],
    "no table": gzip.compress(b"WBW1", mtime=0),
    "a huge table": gzip.compress(b"WBW1" + b"\xff" * 999, mtime=0),
}


@pytest.mark.parametrize("content", BROKEN.values(), ids=BROKEN)
def test_a_broken_file_is_refused_by_name(tmp_path: Path, packed: Manifest, content: bytes) -> None:
    bundle = open_bundle(tmp_path / "out")
    (bundle.directory / stored(packed).parts[0]).write_bytes(content)
    with pytest.raises(WebbuildError, match="weights-") as caught:
        reference_runner(bundle)
    assert caught.value.code == "invalid-weights"


def test_the_report_says_what_it_came_to(tmp_path: Path, packed: Manifest) -> None:
    told = json.loads((tmp_path / "out" / "report.json").read_bytes())["weightQuantization"]
    file = stored(packed)
    assert (told["floats"], told["stored"]) == (file.uncompressed_size, file.size)
    assert (told["numbers"], told["eight"], told["wide"]) == (2 * 64 * 64, 2 * 64 * 64, [])
    assert "100.0 % of the numbers have 8 bits" in (tmp_path / "out" / "report.html").read_text("utf-8")


def test_a_tensor_that_eight_bits_spoil_gets_sixteen(tmp_path: Path, stand_in: None) -> None:
    pack(save(angles(10, 0.1), tmp_path / "m.onnx"), *INT8)
    told = json.loads((tmp_path / "out" / "report.json").read_bytes())["weightQuantization"]
    assert [(each["name"], each["bits"]) for each in told["wide"]] == [("first", 16)]
    assert told["eight"] == 64 * 64


def test_where_only_floats_do_nothing_is_written(tmp_path: Path, stand_in: None) -> None:
    assert refused(save(angles(1e6, 1e6), tmp_path / "m.onnx"), *INT8) == "weights-not-quantizable"


def test_it_is_refused_beside_another_precision(tmp_path: Path, stand_in: None) -> None:
    assert refused(save(layers(), tmp_path / "m.onnx"), *INT8, "--precision", "auto") == "conflicting-options"


def test_the_same_model_gives_the_same_bytes(tmp_path: Path, packed: Manifest) -> None:
    pack(save(layers(), tmp_path / "again" / "m.onnx"), *INT8)
    assert hashes(tmp_path / "again" / "out") == hashes(tmp_path / "out")


def test_what_is_stored_is_cut_too(tmp_path: Path, stand_in: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sharing, "SHARD_BYTES", 5000)
    manifest = pack(save(layers(), tmp_path / "m.onnx"), *INT8)
    bundle = open_bundle(tmp_path / "out")
    assert max(path.stat().st_size for path in (tmp_path / "out" / "model").iterdir()) <= 5100
    assert {len(file.parts) for file in manifest.files if file.quantization == "int8"} == {1}
    assert [check.verdict for check in check_golden_run(bundle, reference_runner(bundle))] == ["OK"]


def test_weights_whose_errors_add_up_from_run_to_run_get_more_bits(tmp_path: Path, stand_in: None) -> None:
    """A rotation of 64 numbers, applied again and again: 8 bits are enough for one run only."""
    made = parsed(
        f"""{HEADER} g (float[1,64] x, float[1,64] state) => (float[1,64] y, float[1,64] stateN)
        {{ kept = MatMul (state, turn) stateN = Add (kept, x) y = MatMul (stateN, second) }}"""
    )
    turn, _ = np.linalg.qr(np.random.default_rng(0).normal(size=(64, 64)))
    tensors = {"turn": turn.astype(np.float32), "second": weights(64, 64, seed=1)}
    made.graph.initializer.extend(onnx.numpy_helper.from_array(array, name) for name, array in tensors.items())
    done = webbuild("pack", save(made, tmp_path / "m.onnx"), "-o", tmp_path / "out", "--no-verify", "--json", *INT8)
    assert done.code == 0, done.stderr
    wide = json.loads(done.stdout)["pack"]["weightQuantization"]["wide"]
    assert "turn" in {each["name"] for each in wide}
