"""The page of a model of tensors with state: its runs are counted, and the state is set to zeros."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Browser, expect

from e2e.conftest import Open, Webbuild
from tests.models import HEADER, parsed, save
from webbuild.browser.server import Server

SUM = f"""{HEADER} decaying (float[2,3] x, float[2,3] state) => (float[2,3] y, float[2,3] stateN)
<float decay = {{0.9}}>
{{
  kept = Mul (state, decay)
  stateN = Add (kept, x)
  y = Neg (stateN)
}}"""


def test_the_runs_are_counted_until_the_state_is_reset(
    webbuild: Webbuild, open_page: Open, without_gpu: Browser, tmp_path: Path
) -> None:
    out = tmp_path / "sum"
    done = webbuild("pack", save(parsed(SUM), tmp_path / "sum.onnx"), "-o", out, "--no-verify")
    assert done.returncode == 0, done.stderr
    with Server(out) as server:
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
