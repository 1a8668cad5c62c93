"""Every case of every pass inside subgraphs that capture outer values, and with subgraphs that capture its values.

A pass rewrites the same patterns in a branch or a loop as outside. The model stays valid, and its results equal.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import onnx
import onnx_ir as ir
import pytest
from numpy.typing import NDArray

from tests.native import Reference, Tensors, random_feeds, runner
from tests.passes.case import Case, all_cases, outcome
from tests.passes.subgraphs import Wrap, captured, half_in_if, in_if, in_loop, wrapped
from tests.passes.test_cases import defaults
from webbuild.passes.analysis.shape_inference import infer_shapes
from webbuild.passes.base import Rewrite
from webbuild.postprocess.reference import add_constant_masks

CASES = [case for case in all_cases() if not case.keep]


@pytest.mark.parametrize("wrap", [in_if, in_loop, half_in_if, captured], ids=lambda wrap: wrap.__name__)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_pass_keeps_subgraphs_valid_and_equal(case: Case, wrap: Wrap) -> None:
    original = wrapped(case, wrap)
    infer_shapes(original)
    patched = original.clone()
    rewrites = case.kind(case.options).apply_to_each_graph(patched)
    if wrap in (in_if, in_loop):
        _check_that_none_is_missing(case, rewrites)
    infer_shapes(patched)
    assert _problem(patched) in ("", _problem(original))  # onnx cannot infer every operator inside a subgraph
    before, after = runner(original), runner(patched)
    signal = 0.0
    for seed in range(4):
        feeds = {**defaults(patched), **random_feeds(original, seed)}
        if case.options.dims:
            feeds |= random_feeds(patched, seed)
        feeds |= {"taken": np.array(True), "trips": np.array(2, np.int64)}
        masked = add_constant_masks(case.options.missing_postprocess, feeds)
        want, got = before.run(_only(original, masked)), after.run(_only(patched, feeds))
        names = set(want) & set(got) if case.options.missing_postprocess else set(want)
        for name in names:
            value = want[name]
            if isinstance(before, Reference):  # the reference concatenates what a loop stacks
                value = value.reshape(got[name].shape)
            limit = case.kind.tolerance * np.abs(value).max(initial=0.0)
            np.testing.assert_allclose(got[name], value, rtol=0, atol=limit, err_msg=name)
            signal = max(signal, float(np.abs(value.astype(np.float64)).max(initial=0.0)))
    assert signal > 0, "zeros were compared with zeros"


def _check_that_none_is_missing(case: Case, rewrites: list[Rewrite]) -> None:
    """Assert that a pass rewrites in a body everything that it rewrites outside."""
    done = [rewrite for rewrite in rewrites if rewrite.applied]
    if case.kind.scope == "each graph":
        outside = Counter(rewrite for rewrite in outcome(case).rewrites if rewrite.applied)
        assert not outside - Counter(done)
    assert done or case.kind.scope == "main graph"


def _problem(model: ir.Model) -> str:
    """Return onnx's error for a model, empty for a valid one."""
    proto = ir.to_proto(model)
    try:
        onnx.checker.check_model(proto, full_check=True)
        onnx.shape_inference.infer_shapes(proto, check_type=True, strict_mode=True, data_prop=True)
    except (onnx.checker.ValidationError, onnx.shape_inference.InferenceError) as error:
        return str(error)
    return ""


def _only(model: ir.Model, feeds: Tensors) -> dict[str, NDArray[Any]]:
    """Return the feeds that the model has inputs for."""
    return {name: feeds[name] for value in model.graph.inputs if (name := value.name or "") in feeds}
