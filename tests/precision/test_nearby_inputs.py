"""A graph that is right by luck: right on a sample, wrong on the same image with rounding noise."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnx_ir as ir
import pytest
from numpy.typing import NDArray

from webbuild.manifest.manifest import DetectTask, Graph, StateInput, Task, TensorTask
from webbuild.precision.accuracy_checker import AccuracyChecker
from webbuild.precision.fp16_backends import EmulatedFp16
from webbuild.runners.tensors import Tensors
from webbuild.samples.sample import Sample

ROWS = """
<ir_version: 8, opset_import: ["" : 17]>
g (float[1, 2, 6] x) => (float[1, 2, 6] rows) { rows = Identity (x) }"""
CUP = np.array([[[10, 10, 50, 50, 0.9, 0], [0, 0, 0, 0, 0, 0]]], np.float32)
SAMPLES = [Sample("cup", {"x": CUP}), Sample("larger cup", {"x": CUP * np.array([2, 2, 2, 2, 1, 1], np.float32)})]
DETECT = DetectTask(output="rows", rows=2, classes=["cup"])


class Lucky(EmulatedFp16):
    """Returns a wrong box for the larger cup whenever the input is not exactly the sample."""

    def __init__(self) -> None:
        super().__init__("for a test")
        self.asked: list[list[str]] = []

    def run(
        self, model: ir.Model, feeds: Sequence[Tensors], states: Sequence[StateInput] = ()
    ) -> list[dict[str, NDArray[np.float32]]]:
        self.asked.append([self._name(each["x"]) for each in feeds])
        return [{"rows": CUP * 3 if self._name(each["x"]) == "nearly larger" else each["x"]} for each in feeds]

    def _name(self, x: NDArray[np.float32]) -> str:
        size = "larger" if x[0, 0, 0] > 15 else "small"
        return size if any(np.array_equal(x, each.feeds["x"]) for each in SAMPLES) else f"nearly {size}"


def checker(folder: Path, task: Task) -> AccuracyChecker:
    ir.save(ir.from_onnx_text(ROWS), folder / "graph.onnx")
    graph = Graph(target="webgpu", file="graph.onnx", weights=[], nodes=1, outputs=[], head_status=None)
    return AccuracyChecker(graph, folder, task, (), {"confidence": 0.5}, SAMPLES)


@pytest.mark.parametrize(
    ("task", "luck"),
    [(DETECT, "larger cup, its numbers changed by one millionth"), (TensorTask(), "")],
    ids=["detect", "tensor"],
)
def test_what_is_right_by_luck_differs_where_things_are_found(tmp_path: Path, task: Task, luck: str) -> None:
    judging, arithmetic = checker(tmp_path, task), Lucky()
    mismatch = judging.check(ir.from_onnx_text(ROWS), arithmetic).mismatch
    assert luck in mismatch
    assert bool(mismatch) is bool(luck)
    assert arithmetic.asked[:2] == [["small"], ["larger"]]


def test_what_differed_is_run_first_the_next_time_and_nothing_twice(tmp_path: Path) -> None:
    judging, arithmetic = checker(tmp_path, DETECT), Lucky()
    model = ir.from_onnx_text(ROWS)
    judging.check(model, arithmetic)
    arithmetic.asked.clear()
    judging.check(model, arithmetic)
    assert arithmetic.asked == [["nearly larger"]]
    right = EmulatedFp16("for a test")
    assert judging.check(model, right).mismatch == ""


def test_an_input_that_is_compared_with_a_number_is_not_changed(tmp_path: Path) -> None:
    text = """
        <ir_version: 8, opset_import: ["" : 17]>
        g (float[1, 2, 6] x, float[1] label) => (float[1, 2, 6] rows) <float one = {1}> {
            chosen = Equal (label, one)
            factor = Cast <to = 1> (chosen)
            rows = Mul (x, factor)
        }"""
    ir.save(ir.from_onnx_text(text), tmp_path / "graph.onnx")
    graph = Graph(target="webgpu", file="graph.onnx", weights=[], nodes=3, outputs=[], head_status=None)
    samples = [Sample("cup", {"x": CUP, "label": np.ones(1, np.float32)})]

    def mismatch(exact: Sequence[str]) -> str:
        judging = AccuracyChecker(graph, tmp_path, DETECT, (), {"confidence": 0.5}, samples, exact=exact)
        return judging.check(ir.from_onnx_text(text), EmulatedFp16("for a test")).mismatch

    assert "one millionth" in mismatch(())
    assert mismatch(["label"]) == ""
