"""`Options.nms`: where NMS runs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx_ir as ir
import pytest

from tests.native import Session
from tests.passes import heads, rotated_heads
from tests.passes.heads import Detection, Head
from tests.passes.rotated_heads import Rotated, RotatedHead
from tests.raw_heads import head as raw_head
from webbuild.passes.base import NmsPlacement, PassOptions
from webbuild.passes.lower import TARGETS, LoweredGraphs, lower
from webbuild.passes.registry import all_passes

FILES = [*heads.FILES, *sorted((Head.folder / "rotated").glob("*.onnx.txt"))]
EACH = pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}/{file.name}")
SUPPRESSING = {kind.code for kind in all_passes() if kind.rewrites_nms}


def planned(text: str, nms: NmsPlacement) -> LoweredGraphs:
    return lower(ir.from_onnx_text(text), PassOptions(nms=nms))


@EACH
def test_on_the_cpu_both_graphs_have_the_suppression_of_the_one_for_wasm(file: Path) -> None:
    text = file.read_text("utf-8")
    chosen, usual = planned(text, "cpu"), planned(text, "gpu")
    island = {"NonMaxSuppression", "NonZero"} & {node.op_type for node in usual.graphs["wasm"].graph}
    assert len(island) == 1
    for target in TARGETS:
        graph = chosen.graphs[target].graph
        assert [value.name for value in graph.outputs] == ["output0"]
        assert island <= {node.op_type for node in graph}
        assert [value.name for value in graph.inputs][1:] == ["confidence", "iou"]


@EACH
@pytest.mark.parametrize("count", [0, 1, 30])
def test_on_the_cpu_both_graphs_give_the_rows_of_the_export(file: Path, count: int) -> None:
    rotated = file.parent.name == "rotated"
    if rotated:
        boxes = rotated_heads.apart(count)
        raw = rotated_heads.raw_output([*rotated_heads.chain(3 if count else 0), *(Rotated(b, 0.5) for b in boxes)])
    else:
        raw = heads.raw_output([Detection(box, 0.5) for box in heads.apart(count)])
    name = file.name.removesuffix(".onnx.txt")
    want = (RotatedHead if rotated else Head)(name).original(raw)
    confidence, iou = (rotated_heads if rotated else heads).CONFIDENCE, (rotated_heads if rotated else heads).IOU
    assert (want[:, 4] > 0).any() == (count > 0)
    chosen = planned(file.read_text("utf-8"), "cpu")
    for target in TARGETS:
        model = chosen.graphs[target]
        feeds = {str(model.graph.inputs[0].name): raw, "confidence": np.array([confidence]), "iou": np.array([iou])}
        np.testing.assert_array_equal(Session(model).run(feeds)["output0"][0], want)


@EACH
def test_kept_it_is_as_exported_and_its_thresholds_are_no_inputs(file: Path) -> None:
    kept = planned(file.read_text("utf-8"), "keep")
    for target in TARGETS:
        assert len(kept.graphs[target].graph.inputs) == 1
        assert [value.name for value in kept.graphs[target].graph.outputs] == ["output0"]
        assert not SUPPRESSING & {rewrite.code for rewrite in kept.rewrites[target]}


def test_an_appended_head_can_be_on_the_cpu_too() -> None:
    raw = raw_head()
    shape = f"float[1,{raw.row_width},20]"
    text = f"""<ir_version: 8, opset_import: ["" : 18]>
    g ({shape} x) => ({shape} raw) <float one = {{1.0}}> {{ raw = Mul (x, one) }}"""
    chosen = lower(ir.from_onnx_text(text), PassOptions(missing_postprocess=raw, nms="cpu"))
    for target in TARGETS:
        assert "NonMaxSuppression" in {node.op_type for node in chosen.graphs[target].graph}
        assert [value.name for value in chosen.graphs[target].graph.outputs] == ["detections"]
