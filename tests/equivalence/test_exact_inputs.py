"""Inputs that are compared with numbers: the noise floor does not perturb them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.models import HEADER, parsed, save
from webbuild.equivalence.check import ComparedModel, check_equivalence
from webbuild.equivalence.exact_inputs import exact_in_chain, exact_inputs, run_input
from webbuild.manifest.manifest import Graph, Output, PointPromptInput, SizeInput, TensorTask
from webbuild.runners.native import NativeRunner
from webbuild.samples.sample import Sample
from webbuild.tasks.run_context import RunContext

PROMPT = (
    PointPromptInput(name="points", dtype="float32", shape=[1, 2, 2], role="points"),
    PointPromptInput(name="labels", dtype="float32", shape=[1, 2], role="labels"),
    PointPromptInput(name="mask", dtype="float32", shape=[1, 1, 4, 4], role="mask"),
    PointPromptInput(name="has_mask", dtype="float32", shape=[1], role="has-mask"),
    SizeInput(name="size", dtype="float32", shape=[2]),
)


def clicked(share: float) -> str:
    """Return a model that adds a fraction to points with a label of 1."""
    return (
        f"{HEADER} clicked (float[1,2] points, float[1,2] labels) => (float[1,2] y) "
        f"<float one = {{1}}, float share = {{{share}}}> {{ "
        "on = Equal (labels, one) number = Cast <to = 1> (on) more = Mul (number, share) y = Add (points, more) }"
    )


def test_labels_and_sizes_are_exact_and_points_are_not() -> None:
    assert exact_inputs(PROMPT) == {"labels", "has_mask", "size"}
    assert exact_in_chain([("decoder", PROMPT)]) == {"decoder.labels", "decoder.has_mask", "decoder.size"}
    given = run_input("one", {"points": np.ones(2), "labels": np.ones(2)}, {"labels"}, RunContext())
    assert (set(given.feeds), set(given.fixed)) == ({"points"}, {"labels"})


@pytest.mark.parametrize(("exact", "verdict"), [({"labels"}, "DIFFERS"), (set[str](), "OK")])
def test_a_label_that_is_perturbed_would_hide_an_error(tmp_path: Path, exact: set[str], verdict: str) -> None:
    original = NativeRunner(save(parsed(clicked(0.02)), tmp_path / "original.onnx"))
    save(parsed(clicked(0.01)), tmp_path / "changed.onnx")
    output = Output(name="y", dtype="float32", shape=[1, 2])
    graph = Graph(target="wasm", file="changed.onnx", weights=[], nodes=4, outputs=[output], head_status=None)
    feeds = {"points": np.array([[0.5, 1.0]], np.float32), "labels": np.ones((1, 2), np.float32)}
    sample = Sample("click", feeds)
    done = check_equivalence(ComparedModel(original, TensorTask(), exact=exact), [graph], tmp_path, [sample])
    assert [each.verdict for each in done.comparisons] == [verdict]
