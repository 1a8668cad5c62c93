"""A detector, landmarks, classes and embeddings of the crops: compared in Chromium, all shown on the page."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, expect

from e2e.conftest import Open, Webbuild
from e2e.test_crop_answers import DRAWN, copied, native
from tests.crop_models import classifier, crowd_detector, embedding, landmarks
from webbuild.browser.chromium import BrowserHandle
from webbuild.browser.server import Server

FACES = 6


@pytest.fixture(scope="module")
def packed(webbuild: Webbuild, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("chain")
    finder = crowd_detector(folder / "finder.onnx", FACES)
    given = finder, landmarks(folder), classifier(folder), embedding(folder, 112, 112)
    done = webbuild("pack", *given, "-o", folder / "faces", "--no-verify")
    assert done.returncode == 0, done.stderr
    return folder / "faces"


@pytest.mark.parametrize("backend", ["wasm", "webgpu"])
def test_every_stage_and_all_together_agree_with_native(
    webbuild: Webbuild, packed: Path, with_gpu: BrowserHandle, backend: str
) -> None:
    done = webbuild("verify", packed, "--backend", backend, "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    runs = {run["backend"]: run["results"] for run in json.loads(done.stdout)["backends"]}
    whole = [each["subject"] for result in runs[f"{backend} whole"] for each in result["comparisons"]]
    assert {(each["output"], each["quantity"]) for each in whole} == {
        ("", "detections"),
        ("", "cosine distance"),
        ("keypoints", "keypoint"),
        ("keypoints", "score"),
        ("classes", "class"),
        ("classes", "score"),
    }


def test_the_page_shows_what_every_stage_says(
    packed: Path, open_page: Open, without_gpu: Browser, tmp_path: Path
) -> None:
    wanted = native(packed, tmp_path)
    sample = Path(json.loads((packed / "manifest.json").read_text())["samples"][0]["file"]).name
    with Server(packed) as server:
        demo = open_page(without_gpu, server.url)
        assert demo.wait_for_result() == FACES
        found, rows = copied(demo), demo.at("results").locator("li").all_inner_texts()
        expect(demo.page.locator("#result-noun")).to_have_text("people")
        assert demo.page.evaluate(DRAWN)
    for got, want, row in zip(found, wanted[sample], rows, strict=True):
        points = [[each["x"], each["y"]] for each in got["keypoints"]]
        np.testing.assert_allclose(points, [[each.x, each.y] for each in want.keypoints], atol=0.1)
        scores = {each["label"]: each["score"] for each in got["classes"]}
        assert scores == pytest.approx({each.label: each.score for each in want.classes}, abs=2e-3)
        np.testing.assert_allclose(got["embedding"], want.embedding, atol=5e-3)
        assert f"{got['classes'][0]['label']} {got['classes'][0]['score']:.2f}, like " in row
