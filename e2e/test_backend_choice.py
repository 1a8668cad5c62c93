"""A decoder that may choose its backend: it moves beside an encoder that stays, and answers as before."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from e2e.conftest import Webbuild
from tests.click_models import click_pair
from webbuild.browser.chromium import BrowserHandle
from webbuild.browser.server import Server
from webbuild.manifest.manifest import decode

CHOOSE = """async (sample) => {
  const { load } = await import("./click.js");
  const model = await load();
  const scene = await model.look(await (await fetch(sample)).blob());
  const ask = async () => {
    const { masks, best, logits } = await scene.segment({ points: [{ x: 130, y: 90 }] });
    return { mask: Array.from(masks[best].mask), logits: Array.from(logits.data) };
  };
  const stages = () => model.info().stages.map(({ name, backend, reason, choice }) => ({ name, backend, reason, choice }));
  const [first, before] = [await ask(), stages()];
  const end = Date.now() + 60_000;
  while (stages()[1].choice.times === null && Date.now() < end) await new Promise((done) => setTimeout(done, 100));
  await new Promise((done) => setTimeout(done, 1000));
  const [second, after] = [await ask(), stages()];
  const warnings = model.warnings;
  await model.dispose();
  const next = await load();
  const visit = next.info().stages[1];
  await next.dispose();
  return { first, second, before, after, warnings, visit: [visit.backend, visit.choice.reason] };
}"""


def test_a_decoder_goes_where_it_is_faster(webbuild: Webbuild, webgpu: BrowserHandle, tmp_path: Path) -> None:
    done = webbuild("pack", *click_pair(tmp_path), "-o", tmp_path / "click", "--no-verify")
    assert done.returncode == 0, done.stderr
    sample = decode((tmp_path / "click" / "manifest.json").read_bytes()).samples[0].file
    with Server(tmp_path / "click") as server, webgpu.page() as (page, _):
        page.goto(f"{server.url}report.html")
        found = page.evaluate(CHOOSE, sample)
    encoder, decoder = found["after"]
    assert [each["backend"] for each in found["before"]] == ["webgpu", "webgpu"]
    assert encoder["backend"] == "webgpu"
    assert encoder["choice"]["times"] is None
    times = {name: sorted(each)[1:-1] for name, each in decoder["choice"]["times"].items()}
    clear = times["wasm"][-1] < 0.8 * times["webgpu"][0]
    assert decoder["backend"] == ("wasm" if clear else "webgpu"), times
    assert "a run here" in decoder["choice"]["reason"]
    assert found["visit"] == [decoder["backend"], decoder["choice"]["reason"]]
    assert found["warnings"] == []
    assert sum(found["first"]["mask"]) > 0
    np.testing.assert_allclose(found["second"]["logits"], found["first"]["logits"], rtol=1e-3, atol=1e-3)
