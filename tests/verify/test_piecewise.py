"""Results below the model's numerical noise are judged by the parts of the graph, all others directly."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec
import numpy as np
import onnx
import pytest

from tests.verify.bundle_made import MODEL, write_bundle
from webbuild.compare.comparison import Comparison
from webbuild.equivalence.answer import Answer
from webbuild.equivalence.compare_runs import Reference, compare_runs
from webbuild.manifest.manifest import Graph
from webbuild.verify.bundle import Bundle
from webbuild.verify.inputs import collect_inputs
from webbuild.verify.piecewise import judge_below_noise
from webbuild.verify.reference import policy_of, reference_runner, run_reference


def unstable(folder: Path) -> tuple[Bundle, Reference]:
    """Return a bundle whose outputs are the sines of large integers."""
    steps = MODEL.replace("Add(x, x)", "Mul(x, k)").replace("y = Add(twice, b)", "f = Floor(twice) y = Sin(f)")
    bundle = write_bundle(folder)
    graph = bundle.manifest.graphs[0]
    onnx.save(onnx.parser.parse_model(steps.replace("b = {1}", "k = {1e9}")), folder / graph.file)
    return bundle, run_reference(bundle, reference_runner(bundle), collect_inputs(bundle, []))


def judged(bundle: Bundle, reference: Reference, far: float, agree: int) -> tuple[Sequence[Comparison], list[str]]:
    (name,) = {graph.name for graph in bundle.manifest.graphs}
    asked: list[str] = []

    def pieces(_: Bundle, graph: Graph) -> int:
        asked.append(graph.name)
        return agree

    want = reference.answers[0]
    outputs = {key: value + np.float32(far) if key == "y" else value for key, value in want.outputs.items()}
    answers = [Answer(want.task, outputs, want.context)]
    compared = compare_runs(reference, name, answers, policy_of(bundle, name))
    return judge_below_noise(compared, name, bundle, reference, pieces), asked


@pytest.mark.parametrize(
    ("far", "agree", "verdict", "asks"), [(0.5, 12, "OK", 1), (0.5, 0, "DIFFERS", 1), (50, 12, "DIFFERS", 0)]
)
def test_a_difference_that_the_model_makes_itself_is_judged_by_pieces(
    far: float, agree: int, verdict: str, asks: int, tmp_path: Path
) -> None:
    found, asked = judged(*unstable(tmp_path / "double"), far, agree)
    assert found[0].verdict == verdict
    assert len(asked) == asks
    assert found[0].pieces == (agree if verdict == "OK" else 0)


def test_a_graph_with_other_native_answers_is_wrong_whatever_its_pieces_say(tmp_path: Path) -> None:
    bundle, reference = unstable(tmp_path / "double")
    other = MODEL.replace("Add(x, x)", "Mul(x, k)").replace("y = Add(twice, b)", "f = Floor(twice) y = Cos(f)")
    onnx.save(onnx.parser.parse_model(other.replace("b = {1}", "k = {1e9}")), bundle.directory / "double.onnx")
    graph = msgspec.structs.replace(bundle.manifest.graphs[0], file="double.onnx")
    manifest = msgspec.structs.replace(bundle.manifest, graphs=[graph])
    found, asked = judged(msgspec.structs.replace(bundle, manifest=manifest), reference, 0.5, 12)
    assert (found[0].verdict, asked) == ("DIFFERS", [])
