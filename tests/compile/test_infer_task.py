"""Missing post-processing is looked for only in tasks that may lack it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import onnx_ir as ir
import pytest

from tests.models import convolution, save
from webbuild.compile import infer_task
from webbuild.compile.infer_task import infer_missing_postprocess
from webbuild.model.load import load_onnx


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
