"""Classes and embeddings of detected objects: the page's equal those of the native chain."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser, expect

from e2e.conftest import Open, Webbuild
from e2e.demo_page import DemoPage
from tests.crop_models import DETECTOR, classifier, embedding
from webbuild.browser.server import Server
from webbuild.verify.bundle_reader import open_bundle
from webbuild.verify.pipeline_reference import compute_pipeline_references
from webbuild.verify.stage_reference import compute_stage_reference
from webbuild.verify.variant_reference import VariantReference, compute_variant_reference

DRAWN = """() => {
  const { width, height } = document.getElementById("overlay");
  const data = document.getElementById("overlay").getContext("2d").getImageData(0, 0, width, height).data;
  return data.some((value) => value > 0);
}"""


@pytest.fixture(scope="module", params=["classes", "embeddings"])
def packed(request: pytest.FixtureRequest, webbuild: Webbuild, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp(request.param)
    look = classifier(folder) if request.param == "classes" else embedding(folder)
    done = webbuild("pack", DETECTOR, look, "-o", folder / "out", "--no-verify")
    assert done.returncode == 0, done.stderr
    return folder / "out"


def native(directory: Path, folder: Path) -> dict[str, Sequence[Any]]:
    """Return the stages' native results, computed one after another as in `verify`, by sample name."""
    bundle = open_bundle(directory)
    work = list[VariantReference]()
    for each in (one for one in bundle.variants if one.batch == 1):
        if work:
            work.append(compute_stage_reference(each, [], work))
        else:
            work.append(compute_variant_reference(each, [], (), folder, (), lambda _: None))
    (whole,) = compute_pipeline_references(bundle, work, ["wasm"], "auto")
    return {given.file.name: answer.detections for given, answer in whole.results if given.file is not None}


def copied(demo: DemoPage) -> list[dict[str, Any]]:
    demo.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    demo.at("copy-result").click()
    expect(demo.page.locator("#copy-result-text")).to_have_text("Copied")
    found: list[dict[str, Any]] = json.loads(demo.page.evaluate("navigator.clipboard.readText()"))["detections"]
    return found


def test_the_page_shows_what_the_native_chain_answers(
    packed: Path, open_page: Open, without_gpu: Browser, tmp_path: Path
) -> None:
    wanted = native(packed, tmp_path)
    sample = Path(json.loads((packed / "manifest.json").read_text())["samples"][0]["file"]).name
    with Server(packed) as server:
        demo = open_page(without_gpu, server.url)
        count = demo.wait_for_result()
        found, rows = copied(demo), demo.at("results").locator("li").all_inner_texts()
        expect(demo.page.locator("#result-noun")).to_have_text("people")
        expect(demo.page.locator("#slot")).to_have_attribute("aria-label", f"Several: {count} people found")
        assert demo.page.evaluate(DRAWN)
        demo.choose(5)
        expect(demo.page.locator("#nobody")).to_contain_text("Nobody found")
        assert demo.count() == 0
        assert copied(demo) == []
    want = wanted[sample]
    assert len(found) == len(rows) == len(want) == count > 3
    np.testing.assert_allclose([[*each["box"].values()] for each in found], [_corners(each) for each in want], atol=0.5)
    for at, (got, native_one, row) in enumerate(zip(found, want, rows, strict=True)):
        if "classes" in got:
            scores = {each["label"]: each["score"] for each in got["classes"]}
            expected = {each.label: each.score for each in native_one.classes}
            assert scores == pytest.approx(expected, abs=2e-3)
            assert got["classes"][0]["label"] in row
            assert f"person {got['score']:.2f}" in row
        else:
            np.testing.assert_allclose(got["embedding"], native_one.embedding, atol=5e-3)
            assert f"like {_nearest(found, at) + 1}: " in row


def _corners(one: Any) -> list[float]:
    return [one.box.x1, one.box.y1, one.box.x2, one.box.y2]


def _nearest(found: Sequence[dict[str, Any]], at: int) -> int:
    vectors = np.array([each["embedding"] for each in found])
    cosines = vectors @ vectors[at]
    cosines[at] = -2
    return int(cosines.argmax())
