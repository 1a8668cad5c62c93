"""The shipped model, packed without a browser."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest

from tests.characterization import compare_recorded
from tests.characterization.summary import summarize_pack
from tests.commands.program import POSE, Done, hashes, webbuild
from tests.compared import matched, verdicts
from tests.models import convolution, save
from webbuild.compile import prove
from webbuild.manifest.manifest import ImageInput, PoseTask, decode
from webbuild.runners.native import NativeRunner
from webbuild.verify.bundle_reader import open_bundle
from webbuild.verify.golden_reader import read_golden

Packed = tuple[Done, Path]


def test_packing_succeeds_and_says_so_in_json(packed: Packed) -> None:
    done, _ = packed
    assert (done.code, done.stderr) == (0, "")
    report = json.loads(done.stdout)["pack"]
    assert verdicts(report["comparisons"]) == {"OK"}
    assert sum(matched(report["comparisons"]).values()) > 0
    assert {"promote-thresholds", "runtime-nms"} <= {rewrite["code"] for rewrite in report["rewrites"]["webgpu"]}


def test_the_rewrites_and_comparisons_are_those_that_were_recorded(packed: Packed, regenerate: bool) -> None:
    report = json.loads(packed[0].stdout)["pack"]
    compare_recorded("yolo-pose/pack", summarize_pack(report), regenerate=regenerate)


def test_packing_twice_gives_the_same_bytes(packed: Packed, tmp_path: Path) -> None:
    again = webbuild("pack", POSE, "-o", tmp_path / "elsewhere" / "again", "--no-verify", "--json")
    assert again.code == 0
    assert hashes(tmp_path / "elsewhere" / "again") == hashes(packed[1])
    assert again.stdout == packed[0].stdout


def test_every_file_is_listed_with_its_hash_and_size(packed: Packed) -> None:
    folder = packed[1]
    manifest = decode((folder / "manifest.json").read_bytes())
    found = hashes(folder)
    del found["manifest.json"]
    assert {file.path: file.sha256 for file in manifest.files} == found
    assert all((folder / file.path).stat().st_size == file.size for file in manifest.files)
    assert all((file.encoding == "zstd") == file.path.endswith(".wasm.zst") for file in manifest.files)
    assert not any(path.is_symlink() for path in folder.rglob("*"))


def test_everything_that_the_manifest_names_is_there(packed: Packed) -> None:
    folder = packed[1]
    manifest = decode((folder / "manifest.json").read_bytes())
    assert manifest.golden is not None
    named = [
        *(path for graph in manifest.graphs for path in (graph.file, *graph.weights)),
        *(path for build in manifest.engines for path in (build.entry, build.glue, build.wasm)),
        *manifest.golden.inputs.values(),
        *manifest.golden.outputs.values(),
        *(sample.file for sample in manifest.samples),
        *("index.html", "report.html", "report.json", "LICENSE.txt", "THIRD_PARTY_NOTICES.txt"),
        *(f"{manifest.name}.js", f"{manifest.name}.d.ts", "runtime/webbuild.js", "runtime/worker.js", "page/page.js"),
    ]
    assert [path for path in named if not (folder / path).is_file()] == []


def test_the_manifest_tells_what_was_packed(packed: Packed) -> None:
    manifest = decode((packed[1] / "manifest.json").read_bytes())
    assert (manifest.name, manifest.title) == ("yolo-pose", "yolo-pose")
    assert manifest.source.sha256 == hashlib.sha256(POSE.read_bytes()).hexdigest()
    assert isinstance(manifest.task, PoseTask)
    assert [spec.name for spec in manifest.inputs] == ["images", "confidence", "iou"]
    assert [graph.target for graph in manifest.graphs] == ["webgpu", "wasm"]
    assert [graph.head_status for graph in manifest.graphs] == [None, None]
    assert [bool(graph.suppression) for graph in manifest.graphs] == [True, False]
    assert manifest.outputs[0].shape[:2] == [1, manifest.task.rows]


def test_the_weights_are_stored_once(packed: Packed) -> None:
    stored = sum(path.stat().st_size for path in (packed[1] / "model").iterdir())
    assert stored < 1.2 * POSE.stat().st_size


@pytest.mark.parametrize("target", [0, 1], ids=["webgpu", "wasm"])
def test_the_golden_run_can_be_repeated(packed: Packed, target: int) -> None:
    folder = packed[1]
    manifest = decode((folder / "manifest.json").read_bytes())
    assert manifest.golden is not None
    recorded = read_golden(open_bundle(folder))
    assert recorded is not None
    feeds, answers = recorded
    outputs, want = NativeRunner(folder / manifest.graphs[target].file).run(feeds), answers["output0"]
    assert (want[0, :, 4] > 0).any()
    np.testing.assert_allclose(outputs["output0"], want, rtol=0, atol=1e-3)
    assert isinstance(manifest.inputs[0], ImageInput)
    assert manifest.golden.uint8_inputs == ["images"]
    assert (folder / manifest.golden.inputs["images"]).stat().st_size == feeds["images"].size


def test_an_interruption_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(prove, "write_graphs", interrupted)
    model = save(convolution(), tmp_path / "in" / "small.onnx")
    done = webbuild("pack", model, "-o", tmp_path / "dist" / "out", "--no-verify")
    assert done.code == 130
    assert list((tmp_path / "dist").iterdir()) == []
