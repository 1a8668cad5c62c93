"""Every case of every pass, put through the same mill."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import onnx_ir as ir
import pytest
from numpy.typing import NDArray

from tests.native import Session, Tensors, random_feeds, runner
from tests.passes.case import FOLDER, Case, all_cases, outcome, text, tidy
from webbuild.completed import completed, with_ones
from webbuild.passes._base import all_passes
from webbuild.passes._shapes import infer
from webbuild.passes.threshold_inputs import PREFIX
from webbuild.phrase_head import PhraseHead
from webbuild.raw_head import RawHead

CASES = all_cases()
EACH = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
TOLERANCE = {
    "append-head": 1e-6,
    "append-set-rows": 1e-6,
    "attention-in-parts": 1e-5,
    "ceil-mode": 1e-6,
    "conv-channels": 1e-6,
    "conv-groups": 1e-6,
    "deformable-conv": 1e-5,
    "float64-to-float32": 1e-5,
    "fold-constants": 1e-6,
    "folded-columns": 1e-6,
    "grouped-volumes": 1e-6,
    "lower-opset": 1e-6,
    "masked-rows": 1e-6,
    "norm-epsilons": 1e-5,
    "recurrent-in-steps": 1e-5,
    "resize-by-matmul": 1e-5,
    "rows-in-parts": 1e-6,
    "roi-align": 1e-4,
    "sampled-volumes": 1e-5,
    "shifted-log-sums": 1e-6,
    "split-buffers": 1e-6,
    "simpler-activations": 1e-6,
    "simpler-losses": 1e-5,
    "simpler-matrices": 1e-5,
    "simpler-norms": 1e-5,
    "simpler-pools": 1e-5,
    "simpler-softmax": 1e-6,
    "simpler-spectra": 1e-4,
    "simpler-sums": 1e-6,
    "training-norms": 1e-5,
    "transposed-outputs": 1e-6,
    "transposed-volumes": 1e-5,
}
"""Relative to the largest magnitude of the output; every other pass is exact."""


def test_every_pass_has_a_case_that_it_changes_and_one_that_it_keeps() -> None:
    found = {(case.kind.code, case.keep) for case in CASES}
    assert found == {(kind.code, keep) for kind in all_passes() for keep in (True, False)}
    assert {folder.name for folder in FOLDER.iterdir()} == {kind.code for kind in all_passes()}


@EACH
def test_a_case_is_changed_unless_it_is_to_be_kept(case: Case) -> None:
    result = outcome(case)
    assert any(edit.done for edit in result.edits) is not case.keep, result.edits
    assert (result.before == result.after) is case.keep
    assert all(edit.code == case.kind.code and edit.where and edit.why for edit in result.edits)


@EACH
def test_a_second_call_changes_nothing(case: Case) -> None:
    result = outcome(case)
    assert not [edit for edit in result.again if edit.done]
    assert result.after_again == result.after


@EACH
def test_the_result_is_a_valid_model(case: Case) -> None:
    model = outcome(case).model.clone()
    infer(model)
    proto = ir.to_proto(model)
    onnx.checker.check_model(proto, full_check=True)
    onnx.shape_inference.infer_shapes(proto, check_type=True, strict_mode=True, data_prop=True)


@EACH
def test_the_result_is_as_recorded(case: Case, regenerate: bool) -> None:
    result = outcome(case)
    record = case.path.with_name(case.path.name.replace(".onnx.txt", ".snapshot"))
    edits = "".join(f"{'done' if e.done else 'left'} {e.where}: {e.why}\n" for e in result.edits)
    if regenerate:
        record.write_text(edits + ("" if case.keep else f"\n{text(tidy(result.model))}"), "utf-8")
    assert record.is_file(), "run pytest with --regenerate and read what it wrote"
    assert edits + ("" if case.keep else f"\n{text(tidy(result.model))}") == record.read_text("utf-8")


@EACH
def test_the_numbers_stay_those_of_the_original(case: Case) -> None:
    original, patched = case.load(), outcome(case).model
    before, after = runner(original), Session(patched)
    signal = 0.0
    for seed in range(4):
        feeds = {**_defaults(patched), **random_feeds(original, seed), **_frozen(case, patched, seed)}
        want, got = _completed(case, before.run(with_ones(case.options.raw, feeds)), feeds), after.run(feeds)
        assert set(want) <= set(got)
        for name, value in want.items():
            value = _filled(original, name, value, got[name].shape)
            assert got[name].shape == value.shape
            limit = TOLERANCE.get(case.kind.code, 0.0) * np.abs(value).max(initial=0.0)
            np.testing.assert_allclose(got[name], value, rtol=0, atol=limit)
            signal = max(signal, float(np.abs(value.astype(np.float64)).max(initial=0.0)))
    assert signal > 0, "zeros were compared with zeros"


def _filled(original: ir.Model, name: str, value: NDArray[Any], room: tuple[int, ...]) -> NDArray[Any]:
    """Return the rows of an output of which the data decide the number, with zeros behind them."""
    declared = next((list(o.shape or ()) for o in original.graph.outputs if o.name == name), [])
    free = [not isinstance(dim, int) for dim in declared]
    more = [max(0, new - old) if is_free else 0 for new, old, is_free in zip(room, value.shape, free, strict=False)]
    return np.pad(value, [(0, zeros) for zeros in more]) if any(more) else value


def _completed(case: Case, outputs: Tensors, feeds: Tensors) -> Tensors:
    """Return the outputs with what the case says that the original lacks."""
    raw = case.options.raw
    if raw is None or isinstance(raw, PhraseHead) or case.keep or raw.output not in outputs:
        return outputs
    thresholds = {"confidence": raw.confidence, **({"iou": raw.iou} if isinstance(raw, RawHead) else {})}
    return completed(raw, outputs, feeds, thresholds)


def _defaults(patched: ir.Model) -> Tensors:
    pairs = (text.rpartition("=") for key, text in patched.metadata_props.items() if key.startswith(PREFIX))
    return {name: np.array([float(default)], np.float32) for name, _, default in pairs}


def _frozen(case: Case, patched: ir.Model, seed: int) -> Tensors:
    """Return feeds in the sizes of the patched model, where the case gives sizes."""
    return random_feeds(patched, seed) if case.options.dims else {}
