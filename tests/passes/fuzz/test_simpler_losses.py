"""Losses written in other operators."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
from hypothesis import given
from hypothesis import strategies as st

from tests.passes.fuzz.model import assert_same, model_of
from webbuild.passes.simpler_losses import SimplerLosses

OPS = st.sampled_from(("NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss"))


@given(
    op=OPS,
    shape=st.tuples(st.integers(1, 3), st.integers(2, 5), st.lists(st.integers(1, 3), max_size=3)),
    reduction=st.sampled_from(("none", "sum", "mean")),
    ignored=st.sampled_from((None, -100, -1, 0, 1, 7)),
    weighted=st.booleans(),
    seed=st.integers(0, 999),
)
def test_of_any_form(
    op: str,
    shape: tuple[int, int, list[int]],
    reduction: str,
    ignored: int | None,
    weighted: bool,
    seed: int,
) -> None:
    batch, classes, rest = shape
    draw = np.random.default_rng(seed)
    labels = draw.integers(0, classes, (batch, *rest))
    if ignored is not None:
        labels = np.where(draw.random(labels.shape) < 0.3, ignored, labels)
    labels.flat[0] = 0 if ignored != 0 else 1  # a mean over nothing is no number
    feeds: dict[str, Any] = {"x": draw.normal(size=(batch, classes, *rest)).astype(np.float32), "labels": labels}
    if weighted:
        feeds["weights"] = draw.uniform(0.1, 2, classes).astype(np.float32)
    attributes: dict[str, Any] = {} if ignored is None else {"ignore_index": ignored}
    node = onnx.helper.make_node(op, [*feeds], ["y"], reduction=reduction, **attributes)
    assert_same(model_of([node], feeds, 17), SimplerLosses, feeds, 1e-5)
