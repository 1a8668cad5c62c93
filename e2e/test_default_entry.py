"""What webbuild cures, seen on the engine's default entry: the export throws there, the patched graph agrees."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from numpy.typing import NDArray
from onnx.utils import Extractor

from e2e import broken
from e2e.conftest import MODEL, Webbuild
from e2e.default_entry import run_app
from tests.native import Session
from webbuild.browser.chromium import Chromium
from webbuild.manifest import ImageInput
from webbuild.tasks.picture import read_rgba, to_tensor
from webbuild.verify.inputs import image_input
from webbuild.verify.opened import open_bundle

PEOPLE, NOBODY = "*several*", "*nobody*"
ROWS = "/Concat_3_output_0"
"""In the export: the rows of the boxes that were kept, as many as there are."""


@pytest.fixture(scope="session")
def export() -> onnx.ModelProto:
    return onnx.load(MODEL)


def feed(bundle: Path, pattern: str) -> NDArray[np.float32]:
    spec = image_input(open_bundle(bundle).manifest)
    assert isinstance(spec, ImageInput)
    return to_tensor(read_rgba(next((bundle / "samples").glob(pattern))), spec)[0]


def native(model: onnx.ModelProto, given: NDArray[np.float32]) -> NDArray[np.float32]:
    (output,) = Session(model).run({model.graph.input[0].name: given}).values()
    return output


def test_the_export_runs_until_a_picture_shows_nobody(webgpu: Chromium, bundle: Path, export: onnx.ModelProto) -> None:
    people, nobody = feed(bundle, PEOPLE), feed(bundle, NOBODY)
    answer, thrown = run_app(webgpu, export, [people, nobody])
    assert (answer.error, answer.output.shape) == ("", (1, 100, 57))
    assert np.abs(answer.output - native(export, people)).max() < 0.01
    assert not native(export, nobody).any()
    assert thrown.error == '[WebGPU] Kernel "[GatherND] /GatherND_1" failed. Error: Unsupported data type: 7'


def test_the_tail_of_the_export_throws_what_was_published(webgpu: Chromium, export: onnx.ModelProto) -> None:
    """Older releases ran GatherND on the CPU and came as far as this Pad. With a row it runs to this day."""
    tail = Extractor(export).extract_model([ROWS], ["output0"])
    one, none = np.ones((1, 57), np.float32), np.zeros((0, 57), np.float32)
    answer, thrown = run_app(webgpu, tail, [one, none])
    assert np.array_equal(answer.output, native(tail, one))
    assert native(tail, none).shape == (1, 100, 57)
    assert thrown.error == (
        '[WebGPU] Kernel "[Pad] /Pad" failed. '
        "Error: Program Pad has zero-sized tensor(s) in inputs or outputs. This is not supported now."
    )


@pytest.fixture(scope="session")
def report(webbuild: Webbuild, bundle: Path, webgpu: Chromium, tmp_path_factory: pytest.TempPathFactory) -> Any:
    copy = broken.copy(bundle, tmp_path_factory.mktemp("jsep"))
    broken.keep_samples(copy, PEOPLE, NOBODY)
    done = webbuild("verify", copy, "--build", "jsep", "--backend", "webgpu", "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_patched_graph_agrees_there_on_people_and_on_nobody(report: Any) -> None:
    people, nobody = report["samples"]
    assert (len(people["detections"]) > 3, nobody["detections"]) == (True, [])
    (run,) = report["backends"]
    assert [len(case["comparisons"]) > 1 for case in run["cases"]] == [True, True]
    assert {each["verdict"] for case in run["cases"] for each in case["comparisons"]} == {"OK"}


def test_it_is_that_build_which_ran(report: Any) -> None:
    (run,) = report["backends"]
    assert (run["backend"], run["engineBuild"]) == ("webgpu", "jsep")
    providers = {placement["provider"]: placement["count"] for placement in run["placements"]}
    assert providers["JsExecutionProvider"] > 100
    assert run["problems"] == []


def test_no_bundle_holds_it(bundle: Path) -> None:
    assert not [path for path in bundle.rglob("*") if "jsep" in path.name]
