"""A patch that changes the outputs is detected, and nothing is written."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import onnx_ir as ir
import pytest

from tests.commands.program import POSE, Done, webbuild
from tests.models import convolution, save
from webbuild.bundle import graphs
from webbuild.compile import prove
from webbuild.manifest.manifest import Graph, TargetName
from webbuild.passes.nms import static_nms, unrolled_nms

pytestmark = pytest.mark.usefixtures("stand_in")

Write = Callable[..., list[Graph]]


def packed_with(change: Callable[[ir.Model], None], target: TargetName, model: Path, out: Path) -> Done:
    """Pack a model, changing its patched graph for a target before it is written."""
    write: Write = graphs.write_graphs

    def tampered(models: dict[TargetName, ir.Model], folder: Path, *shared: Any) -> list[Graph]:
        change(models[target])
        return write(models, folder, *shared)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(prove, "write_graphs", tampered)
        return webbuild("pack", model, "-o", out, "--no-verify")


def scale_weights(model: ir.Model, by: float = 1.01) -> None:
    values: Mapping[str, ir.Value] = model.graph.initializers
    largest = max(
        (v for v in values.values() if v.const_value is not None and v.dtype == ir.DataType.FLOAT),
        key=lambda v: v.const_value.size if v.const_value is not None else 0,
    )
    assert largest.const_value is not None
    array: Any = largest.const_value.numpy()
    largest.const_value = ir.tensor((array * by).astype(np.float32), name=largest.name)


def expect(done: Done, out: Path, *words: str) -> None:
    assert (done.code, done.error, done.stdout) == (1, "output-mismatch", "")
    for word in words:
        assert word in done.stderr
    assert list(out.parent.iterdir()) == []


@pytest.mark.parametrize("target", ["webgpu", "wasm"])
def test_one_percent_more_weight_is_found_out(tmp_path: Path, target: TargetName) -> None:
    model = save(convolution(), tmp_path / "in" / "small.onnx")
    done = packed_with(scale_weights, target, model, tmp_path / "dist" / "out")
    expect(done, tmp_path / "dist" / "out", "output 'y'", f"the {target} graph", "wanted", "got")


def test_a_change_below_the_tolerance_passes(tmp_path: Path) -> None:
    model = save(convolution(), tmp_path / "in" / "small.onnx")
    done = packed_with(lambda m: scale_weights(m, 1.000001), "webgpu", model, tmp_path / "dist" / "out")
    assert done.code == 0, done.stderr


def test_other_weights_in_a_pose_model_are_found_out(tmp_path: Path) -> None:
    done = packed_with(scale_weights, "webgpu", POSE, tmp_path / "dist" / "out")
    expect(done, tmp_path / "dist" / "out", "the webgpu graph")


def test_rows_in_the_wrong_order_of_suppression_are_found_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    honest = unrolled_nms.add_unrolled_nms

    def keep_all(add: Any, boxes: Any, valid: Any, iou: Any, **sizes: Any) -> tuple[ir.Value, ir.Value]:
        _, unsettled = honest(add, boxes, valid, iou, **sizes)
        return valid, unsettled

    monkeypatch.setattr(static_nms, "add_unrolled_nms", keep_all)
    (tmp_path / "dist").mkdir()
    done = webbuild("pack", POSE, "-o", tmp_path / "dist" / "out", "--no-verify", "--nms", "gpu")
    expect(done, tmp_path / "dist" / "out", "got only")
