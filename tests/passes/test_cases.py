"""Every case of every pass, tested in the same ways."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import onnx_ir as ir
import pytest
from numpy.typing import NDArray

from tests.native import Session, Tensors, random_feeds, runner
from tests.passes.case import FOLDER, Case, all_cases, outcome, text, tidy
from webbuild.passes.analysis.shape_inference import infer_shapes
from webbuild.passes.nms.promote_thresholds import OPTION_KEY_PREFIX
from webbuild.passes.registry import all_passes
from webbuild.postprocess.class_maps import ClassMapsPostprocess
from webbuild.postprocess.grounding import GroundingPostprocess
from webbuild.postprocess.label_scores import LabelScoresPostprocess
from webbuild.postprocess.reference import add_constant_masks, apply_reference_postprocess
from webbuild.postprocess.yolo import YoloPostprocess

CASES = all_cases()
EACH = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)


def test_every_pass_has_a_case_that_it_changes_and_one_that_it_keeps() -> None:
    found = {(case.kind.code, case.keep) for case in CASES}
    assert found == {(kind.code, keep) for kind in all_passes() for keep in (True, False)}
    assert {folder.name for folder in FOLDER.iterdir()} == {kind.code for kind in all_passes()}


@EACH
def test_a_case_is_changed_unless_it_is_to_be_kept(case: Case) -> None:
    result = outcome(case)
    assert any(rewrite.applied for rewrite in result.rewrites) is not case.keep, result.rewrites
    assert (result.before == result.after) is case.keep
    assert all(rewrite.code == case.kind.code and rewrite.location and rewrite.reason for rewrite in result.rewrites)


@EACH
def test_a_second_call_changes_nothing(case: Case) -> None:
    result = outcome(case)
    assert not [rewrite for rewrite in result.again if rewrite.applied]
    assert result.after_again == result.after


@EACH
def test_the_result_is_a_valid_model(case: Case) -> None:
    model = outcome(case).model.clone()
    infer_shapes(model)
    proto = ir.to_proto(model)
    onnx.checker.check_model(proto, full_check=True)
    onnx.shape_inference.infer_shapes(proto, check_type=True, strict_mode=True, data_prop=True)


@EACH
def test_the_result_is_as_recorded(case: Case, regenerate: bool) -> None:
    result = outcome(case)
    record = case.path.with_name(case.path.name.replace(".onnx.txt", ".snapshot"))
    rewrites = "".join(f"{'done' if e.applied else 'left'} {e.location}: {e.reason}\n" for e in result.rewrites)
    if regenerate:
        record.write_text(rewrites + ("" if case.keep else f"\n{text(tidy(result.model))}"), "utf-8")
    assert record.is_file(), "run pytest with --regenerate and read what it wrote"
    assert rewrites + ("" if case.keep else f"\n{text(tidy(result.model))}") == record.read_text("utf-8")


@EACH
def test_the_numbers_stay_those_of_the_original(case: Case) -> None:
    original, patched = case.load(), outcome(case).model
    before, after = runner(original), Session(patched)
    signal = 0.0
    for seed in range(4):
        feeds = {**defaults(patched), **random_feeds(original, seed), **_frozen(case, patched, seed)}
        want, got = (
            _completed(case, before.run(add_constant_masks(case.options.missing_postprocess, feeds)), feeds),
            after.run(feeds),
        )
        assert set(want) <= set(got)
        for name, value in want.items():
            value = _filled(original, name, value, got[name].shape)
            assert got[name].shape == value.shape
            limit = case.kind.tolerance * np.abs(value).max(initial=0.0)
            np.testing.assert_allclose(
                got[name], value, rtol=0, atol=limit, err_msg=f"tolerance {case.kind.tolerance:g}"
            )
            signal = max(signal, float(np.abs(value.astype(np.float64)).max(initial=0.0)))
    assert signal > 0, "zeros were compared with zeros"


def _filled(original: ir.Model, name: str, value: NDArray[Any], room: tuple[int, ...]) -> NDArray[Any]:
    """Return the rows of an output of data-dependent length, padded with zeros."""
    declared = next((list(o.shape or ()) for o in original.graph.outputs if o.name == name), [])
    free = [not isinstance(dim, int) for dim in declared]
    more = [max(0, new - old) if is_free else 0 for new, old, is_free in zip(room, value.shape, free, strict=False)]
    return np.pad(value, [(0, zeros) for zeros in more]) if any(more) else value


def _completed(case: Case, outputs: Tensors, feeds: Tensors) -> Tensors:
    """Return the outputs after the post-processing that the case says is missing."""
    raw = case.options.missing_postprocess
    if raw is None or isinstance(raw, GroundingPostprocess) or case.keep or raw.output not in outputs:
        return outputs
    if isinstance(raw, ClassMapsPostprocess | LabelScoresPostprocess):
        return apply_reference_postprocess(raw, outputs, feeds, {})
    thresholds = {"confidence": raw.confidence, **({"iou": raw.iou} if isinstance(raw, YoloPostprocess) else {})}
    return apply_reference_postprocess(raw, outputs, feeds, thresholds)


def defaults(patched: ir.Model) -> Tensors:
    """Return the values of the thresholds that a pass made inputs."""
    pairs = (text.rpartition("=") for key, text in patched.metadata_props.items() if key.startswith(OPTION_KEY_PREFIX))
    return {name: np.array([float(default)], np.float32) for name, _, default in pairs}


def _frozen(case: Case, patched: ir.Model, seed: int) -> Tensors:
    """Return feeds with the patched model's sizes, if the case gives sizes."""
    return random_feeds(patched, seed) if case.options.dims else {}
