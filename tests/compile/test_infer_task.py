"""Missing post-processing is looked for only in tasks that may lack it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import onnx_ir as ir
import pytest

from tests.models import HEADER, convolution, parsed, save
from webbuild.compile import infer_task
from webbuild.compile.infer_task import infer_missing_postprocess
from webbuild.model.load import load_onnx
from webbuild.postprocess.class_maps import ClassMapsPostprocess


@pytest.mark.parametrize(("task", "looks"), [("tensor", False), ("detect", True), (None, True)])
def test_tensors_lack_nothing_so_that_no_graph_is_folded_for_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, task: str | None, looks: bool
) -> None:
    folded: list[ir.Model] = []
    fold = infer_task.with_fixed_dims

    def noting(model: ir.Model, dims: Mapping[str, int]) -> ir.Model:
        folded.append(fold(model, dims))
        return folded[-1]

    monkeypatch.setattr(infer_task, "with_fixed_dims", noting)
    assert infer_missing_postprocess(load_onnx(save(convolution(), tmp_path / "model.onnx")), {}, task) is None
    assert bool(folded) == looks


def test_the_classes_of_an_argmax_are_counted_if_only_outputs_have_shapes(tmp_path: Path) -> None:
    proto = parsed(f"""{HEADER} labels (float[1,3,8,8] x) => (int64[1,8,8] y)
        <float[4,3,1,1] k = {{1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1}}>
        {{ maps = Conv (x, k)  y = ArgMax <axis = 1, keepdims = 0> (maps) }}""")
    assert not proto.graph.value_info
    match = infer_missing_postprocess(load_onnx(save(proto, tmp_path / "labels.onnx")), {}, "image-segmentation")
    assert match is not None
    assert isinstance(match.postprocess, ClassMapsPostprocess)
    assert match.postprocess.classes == 4
