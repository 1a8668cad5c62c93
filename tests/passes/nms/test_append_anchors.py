"""Anchors decoded by appended operators, on both targets, compared with the NumPy reference."""

from __future__ import annotations

from functools import cache

import numpy as np
import onnx_ir as ir
import pytest

from tests.anchor_heads import SPECS, Outputs, random_outputs
from tests.native import Session
from webbuild.manifest.manifest import TargetName
from webbuild.passes.base import PassOptions
from webbuild.passes.lower import LoweredGraphs, lower
from webbuild.passes.nms.append_nms import AppendNms
from webbuild.postprocess.anchors import AnchorPostprocess
from webbuild.postprocess.reference_anchors import reference_anchors

TARGETS: tuple[TargetName, ...] = ("webgpu", "wasm")
EACH = pytest.mark.parametrize("name", SPECS)


def raw_model(spec: AnchorPostprocess, opset: int = 17) -> ir.Model:
    """Return a model with nothing but its raw outputs, each copied from its own input."""
    shapes = {name: ",".join(map(str, array.shape)) for name, array in random_outputs(spec).items()}
    given = ", ".join(f"float[{shape}] in_{name}" for name, shape in shapes.items())
    taken = ", ".join(f"float[{shape}] {name}" for name, shape in shapes.items())
    nodes = " ".join(f"{name} = Mul (in_{name}, one)" for name in shapes)
    text = f'<ir_version: 8, opset_import: ["" : {opset}]> g ({given}) => ({taken}) <float one = {{1.0}}> {{ {nodes} }}'
    return ir.from_onnx_text(text)


@cache
def lowered(name: str, opset: int = 17) -> tuple[LoweredGraphs, dict[TargetName, Session]]:
    plan = lower(raw_model(SPECS[name], opset), PassOptions(missing_postprocess=SPECS[name]))
    return plan, {target: Session(model) for target, model in plan.graphs.items()}


def rows(
    name: str, target: TargetName, outputs: Outputs, opset: int = 17
) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    spec = SPECS[name]
    values = {"confidence": np.array([spec.confidence], np.float32), "iou": np.array([spec.iou], np.float32)}
    feeds = {**{f"in_{key}": array for key, array in outputs.items()}, **values}
    return np.asarray(lowered(name, opset)[1][target].run(feeds)["detections"])


@EACH
@pytest.mark.parametrize("target", TARGETS)
def test_random_answers_give_the_rows_of_the_reference(name: str, target: TargetName) -> None:
    spec, counts = SPECS[name], []
    for seed in range(12):
        outputs = random_outputs(spec, seed)
        want = reference_anchors(spec, outputs, spec.confidence, spec.iou)
        np.testing.assert_allclose(rows(name, target, outputs), want, rtol=1e-5, atol=1e-4, err_msg=f"seed {seed}")
        counts.append(int((want[0, :, 4] > 0).sum()))
    assert max(counts) > 2, "nothing was compared"


@pytest.mark.parametrize("name", ["yunet", "ssd", "nanodet"])
def test_an_older_opset_is_raised(name: str) -> None:
    outputs = random_outputs(SPECS[name])
    want = reference_anchors(SPECS[name], outputs, SPECS[name].confidence, SPECS[name].iou)
    np.testing.assert_allclose(rows(name, "wasm", outputs, 9), want, rtol=1e-5, atol=1e-4)


@EACH
def test_what_is_decoded_is_no_output_any_more(name: str) -> None:
    for model in lowered(name)[0].graphs.values():
        assert [value.name for value in model.graph.outputs if value.name != "head_status"] == ["detections"]


def test_an_output_of_too_few_rows_is_left_alone() -> None:
    model = raw_model(SPECS["scrfd"])
    model.graph.outputs[0].shape = ir.Shape([1, 5, 1])
    (rewrite,) = AppendNms().apply(model, PassOptions(missing_postprocess=SPECS["scrfd"]))
    assert (rewrite.applied, rewrite.reason) == (False, "not every output has 80 anchors")


def test_maps_of_another_rank_are_left_alone() -> None:
    model = raw_model(SPECS["fastestdet"])
    model.graph.outputs[0].shape = ir.Shape([1, 9, 32])
    (rewrite,) = AppendNms().apply(model, PassOptions(missing_postprocess=SPECS["fastestdet"]))
    assert (rewrite.applied, "maps of one image were expected" in rewrite.reason) == (False, True)


def test_a_second_output_called_detections_is_left_alone() -> None:
    model = raw_model(SPECS["corners"])
    other = ir.node("Neg", [model.graph.inputs[0]]).outputs[0]
    assert other.producer() is not None
    model.graph.append(other.producer())  # type: ignore[arg-type]
    other.name, other.shape, other.type = "detections", ir.Shape([1, 40, 2]), ir.TensorType(ir.DataType.FLOAT)
    model.graph.outputs.append(other)
    (rewrite,) = AppendNms().apply(model, PassOptions(missing_postprocess=SPECS["corners"]))
    assert "another output has the name" in rewrite.reason
