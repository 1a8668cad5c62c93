"""The output of `webbuild publish`, loaded by transformers.js: it finds the bundle's detections."""

from __future__ import annotations

import shutil
from pathlib import Path

from benchmarks.side_by_side.measure import RunCounts, matching_boxes, measure_bundle
from benchmarks.transformers_js.measure import confidence, measure_pipeline
from benchmarks.transformers_js.models import SHIPPED, write_hub_layout
from e2e.conftest import Webbuild
from webbuild.browser.chromium import BrowserHandle
from webbuild.verify.bundle_reader import open_bundle
from webbuild.verify.inputs import collect_inputs

EFFORT = RunCounts(runs=1, warming=0, seconds=300)


def test_transformers_js_loads_the_model_repository(
    webbuild: Webbuild, with_gpu: BrowserHandle, tmp_path: Path
) -> None:
    shipped = SHIPPED[0]
    exported = write_hub_layout(shipped, tmp_path / "exported")
    shutil.copytree(shipped.file.parent / "samples", exported / "onnx" / "samples")
    for arguments in (
        ("pack", exported, "-o", tmp_path / "bundle", "--no-verify"),
        ("publish", exported, tmp_path / "bundle", "--hf", tmp_path / "hub", "--repo", "me/rt-detr", "--no-verify"),
    ):
        done = webbuild(*arguments)
        assert done.returncode == 0, done.stderr
    bundle = open_bundle(tmp_path / "bundle")
    samples = collect_inputs(bundle, [])[:1]
    published = Path(shutil.copytree(tmp_path / "hub" / "model", tmp_path / "served" / shipped.name))
    threshold = confidence(bundle.manifest)
    theirs = measure_pipeline(with_gpu, shipped, published, "wasm", samples, threshold=threshold, effort=EFFORT)
    ours = measure_bundle(with_gpu, bundle, "wasm", samples, EFFORT)
    # It resizes images on a canvas, and rounds boxes to whole pixels: not all of them are within a tenth.
    same, found = matching_boxes(ours, theirs)
    assert same >= found / 2 > 0
