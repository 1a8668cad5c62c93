"""Every export of every head gives unchanged results, with no, one, several or too many detections."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.exports import NAMES
from tests.exports.rewritten import Rewritten, rewritten
from webbuild.compare.by_output import group_by_output, matched_objects
from webbuild.equivalence.check import ComparedModel, check_equivalence
from webbuild.equivalence.verdict import require_equivalent
from webbuild.manifest.manifest import ClassifyTask, RowTask
from webbuild.passes.rewrite import static_shape
from webbuild.runners.native import NativeRunner

DATA_DECIDE = {"NonMaxSuppression", "NonZero", "Compress", "Unique", "If", "Loop", "Scan"}
"""Operators with a data-dependent output size."""


def scores(export: Rewritten) -> np.ndarray:
    """Return the distinct scores of the first sample's rows without a threshold, the best first."""
    task = export.known.task
    assert isinstance(task, RowTask)
    graph = next(graph for graph in export.graphs if graph.target == "wasm")
    thresholds = {
        o.name: np.array([0.0 if o.option == "confidence" else o.default], np.float32) for o in export.options
    }
    rows = NativeRunner(export.folder / graph.file).run({**export.samples[0].feeds, **thresholds})[task.output][0]
    return np.unique(rows[rows[:, 4] > 0, 4])[::-1]


def nothing_is_left_to_the_data(export: Rewritten) -> None:
    rewrites = [each for made in export.planned.rewrites.values() for each in made]
    assert [each.reason for each in rewrites if each.code == "pass-failed"] == []
    model = export.planned.graphs["webgpu"]
    assert not {node.op_type for node in model.graph} & DATA_DECIDE
    assert [
        value.name for node in model.graph for value in node.outputs if value.name and static_shape(value) is None
    ] == []


@pytest.mark.parametrize("name", NAMES)
def test_the_same_is_found_at_every_threshold(name: str, tmp_path: Path) -> None:
    export = rewritten(name, tmp_path)
    nothing_is_left_to_the_data(export)
    task = export.known.task
    assert type(task).__struct_config__.tag == name.rpartition("/")[2].partition("-")[0]
    if isinstance(task, ClassifyTask):
        equivalence = check_equivalence(
            ComparedModel(NativeRunner(export.source.path), task), export.graphs, tmp_path, export.samples
        )
        require_equivalent(equivalence.comparisons)
        return
    assert isinstance(task, RowTask)
    best = scores(export)
    assert len(best) > 4, "too few scores to choose thresholds between"
    half = len(best) // 2
    found: list[int] = []
    original, exported, loose = export.open_original(), 0.7, 0.99
    for threshold, iou in (
        ((1 + best[0]) / 2, exported),
        ((best[0] + best[1]) / 2, exported),
        ((best[half] + best[half + 1]) / 2, exported),
        (0.0, loose),
    ):
        equivalence = export.prove_at(original, float(np.float32(threshold)), iou)
        wrong = [
            f"{each.subject} at {threshold}: {each.reason}"
            for each in equivalence.comparisons
            if each.verdict == "DIFFERS"
        ]
        assert not wrong, wrong
        own = {
            runner: group
            for (sample, runner, _, output), group in group_by_output(equivalence.comparisons).items()
            if (sample, output) == ("(blocks)", task.output)
        }
        assert own.keys() == {"webgpu", "wasm"}
        assert not any(each.from_fallback for group in own.values() for each in group), "its own answer was not tried"
        assert len({matched_objects(group) for group in own.values()}) == 1
        found.append(matched_objects(own["wasm"]) or 0)
    assert found[:2] == [0, 1]
    assert 1 < found[2] < found[3]
    assert found[3] == task.rows, "no more were found than fit"
