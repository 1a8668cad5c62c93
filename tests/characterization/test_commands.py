"""Findings, planned rewrites and codes equal the recorded ones; a difference is either intended or a bug.

`tests/commands` and `e2e` also compare the packs and verifications that they run anyway.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests import exports
from tests.characterization import compare_recorded
from tests.characterization.summary import summarize_inspection, summarize_pack, summarize_rewrites
from tests.commands.program import ROOT, webbuild
from webbuild.commands.explain import all_pages

SHIPPED = {
    "yolo-pose": "yolo-pose",
    "rt-detr": "rt-detr/rt-detr",
    "grounding-dino": "grounding-dino/grounding-dino",
    "mask2former": "mask2former-swin/mask2former",
    "depth-from-focus": "depth-from-focus/depth-from-focus",
    "video-matting": "video-matting/video-matting",
    "super-resolution": "super-resolution/super-resolution",
    "promptable-segmenter-encoder": "promptable-segmenter/encoder",
    "promptable-segmenter-decoder": "promptable-segmenter/decoder",
    "top-down-pose": "top-down-pose/top-down-pose",
    "text-reader-det": "text-reader/det",
    "text-reader-rec": "text-reader/rec",
}
TYPICAL = {
    "ultralytics-8.3.120-dynamo/classify-dynamic",
    "ultralytics-8.3.120-dynamo/obb-nms-dynamic",
    "ultralytics-8.3.120-dynamo/segment-raw",
    "ultralytics-8.3.120-torchscript/detect-nms",
    "ultralytics-8.3.120-torchscript/detect-v10",
    "ultralytics-8.4.190-dynamo/pose-one-to-one",
    "ultralytics-8.4.190-torchscript/obb-raw-dynamic",
}
"""One export of each kind; `-m slow` inspects and plans the others."""
EXPORTS = [name if name in TYPICAL else pytest.param(name, marks=pytest.mark.slow) for name in exports.NAMES]


def answer(*arguments: str | Path) -> Any:
    done = webbuild(*arguments, "--json")
    assert done.code in (0, 1), done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("name", SHIPPED)
def test_a_shipped_model_has_the_findings_that_were_recorded(name: str, regenerate: bool) -> None:
    report = answer("inspect", ROOT / "models" / f"{SHIPPED[name]}.onnx")
    compare_recorded(f"{name}/inspect", summarize_inspection(report), regenerate=regenerate)


@pytest.mark.parametrize("name", EXPORTS)
def test_an_export_has_the_findings_and_rewrites_that_were_recorded(
    name: str, tmp_path: Path, regenerate: bool
) -> None:
    model = exports.write(name, tmp_path)
    summary = {
        "inspect": summarize_inspection(answer("inspect", model)),
        "pack --dry-run": summarize_rewrites(answer("pack", model, "--dry-run")["rewrites"]),
    }
    compare_recorded(f"exports/{name}", summary, regenerate=regenerate)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["rt-detr/rt-detr", "grounding-dino/grounding-dino", "mask2former-swin/mask2former"])
def test_a_shipped_model_is_packed_as_was_recorded(name: str, tmp_path: Path, regenerate: bool) -> None:
    report = answer("pack", ROOT / "models" / f"{name}.onnx", "-o", tmp_path / "out", "--no-verify")["pack"]
    compare_recorded(f"{Path(name).name}/pack", summarize_pack(report), regenerate=regenerate)


def test_the_codes_are_those_that_were_recorded_and_each_is_explained(regenerate: bool) -> None:
    pages = all_pages()
    empty = [code for group in pages.values() for code, text in group.items() if len(text.split()) < 4]
    assert empty == []
    compare_recorded("explain", {group: sorted(codes) for group, codes in pages.items()}, regenerate=regenerate)
