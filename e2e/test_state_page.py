"""A tensor model with state: its self-test, and its page, which counts the runs and resets the state to zeros."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from e2e.conftest import Open, Webbuild
from tests.models import HEADER, parsed, save
from webbuild.browser.chromium import BrowserHandle
from webbuild.browser.server import Server

SUM = f"""{HEADER} decaying (float[2,3] x, float[2,3] state) => (float[2,3] y, float[2,3] stateN)
<float decay = {{0.9}}>
{{
  kept = Mul (state, decay)
  stateN = Add (kept, x)
  y = Neg (stateN)
}}"""


LOAD = """async () => {
  const { load } = await import("./sum.js");
  const model = await load({ backend: "webgpu" });
  const { selfTest, graphCapture } = model.info();
  const x = { type: "float32", dims: [2, 3], data: Float32Array.of(1, 2, 3, 4, 5, 6) };
  const runs = [];
  for (let run = 0; run < 2; run++) runs.push(Array.from((await model.runTensors({ x })).y.data));
  return { selfTest, captured: graphCapture.used, steps: model.state.steps, runs };
}"""


@pytest.fixture(scope="module")
def packed(webbuild: Webbuild, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("state")
    done = webbuild("pack", save(parsed(SUM), folder / "sum.onnx"), "-o", folder / "sum", "--no-verify")
    assert done.returncode == 0, done.stderr
    return folder / "sum"


def test_the_self_test_passes_and_leaves_the_state_at_zeros(packed: Path, webgpu: BrowserHandle) -> None:
    virtual = {"/blank.html": ("text/html", b"<link rel=icon href=data:,>")}
    with Server(packed, virtual=virtual) as server, webgpu.page() as (page, console):
        page.goto(f"{server.url}blank.html")
        visit = page.evaluate(LOAD)
        assert console.errors == []
    assert visit["selfTest"]["fromCache"] is False
    assert (visit["captured"], visit["steps"]) == (False, 2)
    assert visit["runs"] == [pytest.approx([-k * x for x in range(1, 7)], rel=1e-5) for k in (1, 1.9)]


def test_the_runs_are_counted_until_the_state_is_reset(packed: Path, open_page: Open, without_gpu: Browser) -> None:
    with Server(packed) as server:
        page = open_page(without_gpu, server.url, viewport={"width": 390, "height": 844})
        steps, reset = page.at("state-steps"), page.at("state-reset")
        expect(steps).to_have_text("0")
        expect(reset).to_be_disabled()
        first: list[str] = []
        for run, differs in enumerate((False, True), start=1):
            page.at("golden").click()
            expect(steps).to_have_text(str(run))
            cells = page.at("statistics").locator("tbody tr").first.locator("td").all_inner_texts()
            assert (cells[5] == "\N{EN DASH}") == differs
            first = first or cells
            assert (cells[2:5] == first[2:5]) != differs
        reset.click()
        expect(steps).to_have_text("0")
        page.at("golden").click()
        expect(steps).to_have_text("1")
        cells = page.at("statistics").locator("tbody tr").first.locator("td").all_inner_texts()
        assert cells == first
        assert not page.console.errors
