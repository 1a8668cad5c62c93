"""Two packed bundles on one page: one engine, downloaded once, on one GPU device; the models stay independent."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import onnx
import pytest
from onnx import parser

from e2e.conftest import Webbuild
from webbuild.browser.chromium import BrowserHandle
from webbuild.browser.server import Server

PICTURE = "1-several.jpg"
PLAIN = """
<ir_version: 8, opset_import: ["" : 17]>
plain (float[1, 4] x) => (float[1, 4] y) <float[1] two = {2}, float[1] one = {1}> { z = Mul(x, two) y = Add(z, one) }
"""
COUNTING = b"""{
  const { requestDevice } = GPUAdapter.prototype;
  GPUAdapter.prototype.requestDevice = function (...given) {
    new BroadcastChannel("devices").postMessage("one");
    return requestDevice.apply(this, given);
  };
}
"""
SCRIPT = """async ([picture, order]) => {
  let devices = 0;
  new BroadcastChannel("devices").onmessage = () => { devices += 1; };
  const [pose, plain] = await Promise.all([import("./pose/yolo-pose.js"), import("./plain/plain.js")]);
  const blob = await (await fetch(picture)).blob();
  const models = Object.fromEntries(await Promise.all(order.map(async (name) =>
    [name, await { pose, plain }[name].load({ backend: "webgpu" })])));
  const ask = {
    pose: async () => (await models.pose.run(blob)).poses,
    plain: async () => {
      const x = { type: "float32", dims: [1, 4], data: Float32Array.of(1, 2, 3, 4) };
      return [...(await models.plain.runTensors({ x })).y.data];
    },
  };
  const together = await Promise.all([...order, ...order].map((name) => ask[name]()));
  const [leaver, stayer] = order.length === 2 ? order : [null, order[0]];
  await models[leaver]?.dispose();
  const alone = await ask[stayer]();
  await models[stayer].dispose();
  return { devices, together, alone };
}"""


@pytest.fixture(scope="module")
def site(bundle: Path, webbuild: Webbuild, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("site")
    onnx.save(parser.parse_model(PLAIN), folder / "plain.onnx")
    packed = webbuild("pack", folder / "plain.onnx", "-o", folder / "plain", "--no-verify")
    assert packed.returncode == 0, packed.stderr
    shutil.copytree(bundle, folder / "pose")
    worker = (folder / "pose" / "runtime" / "worker.js").read_bytes()
    virtual = {f"/{name}/runtime/worker.js": ("text/javascript", COUNTING + worker) for name in ("pose", "plain")}
    with Server(folder, virtual={**virtual, "/two.html": ("text/html", b"<link rel=icon href=data:,>")}) as server:
        yield server


def run(chromium: BrowserHandle, site: Server, *order: str) -> Any:
    """Load models in an order, run them together, dispose of them in that order; return the downloads and workers."""
    with chromium.page() as (page, console):
        fetched: list[str] = []
        workers: list[str] = []
        page.on("request", lambda request: fetched.append(request.url.rsplit("/", 1)[-1]))
        page.on("worker", lambda worker: workers.append(worker.url))
        page.goto(f"{site.url}two.html")
        answers = page.evaluate(SCRIPT, [f"./pose/samples/{PICTURE}", list(order)])
        until = time.monotonic() + 300
        while page.workers and time.monotonic() < until:  # the browser reports it a little later
            page.wait_for_timeout(50)
        assert (page.workers, console.errors) == ([], [])
    return {**answers, "engines": [name for name in fetched if ".wasm" in name], "workers": len(workers)}


@pytest.fixture(scope="module")
def alone(webgpu: BrowserHandle, site: Server) -> Any:
    return {name: run(webgpu, site, name)["alone"] for name in ("pose", "plain")}


@pytest.mark.parametrize("order", [("pose", "plain"), ("plain", "pose")])
def test_two_bundles_share_the_engine_and_answer_as_alone(
    webgpu: BrowserHandle, site: Server, alone: Any, order: tuple[str, str]
) -> None:
    shared = run(webgpu, site, *order)
    # The second device is the one that external textures are tried on.
    assert (len(shared["engines"]), shared["workers"], shared["devices"]) == (1, 1, 2)
    assert shared["together"] == [alone[name] for name in (*order, *order)]
    assert shared["alone"] == alone[order[1]]


def test_what_they_answer_alone_is_right(alone: Any) -> None:
    assert alone["plain"] == [3, 5, 7, 9]
    assert len(alone["pose"]) > 3
