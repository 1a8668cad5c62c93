"""Differences between WebGPU in Firefox and in Chromium: shaders, limits, features, video frames, names."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from e2e.conftest import BLANK
from e2e.test_webkit import LOAD
from webbuild.browser.bidi import BidiPage
from webbuild.browser.chromium import BrowserHandle
from webbuild.browser.firefox import FirefoxHandle
from webbuild.browser.server import Server
from webbuild.inspection.float16_kernels import FIREFOX_OPS
from webbuild.ortweb import packaged_assets
from webbuild.ortweb.build import OrtWebBuild, get_build
from webbuild.passes.workarounds.compute_in_float32 import ComputeInFloat32
from webbuild.probe.browser_harness import ProbeHarness, ProbeResponse, open_harness
from webbuild.probe.probe_model import Initializer, Probe, int64s, make_probe
from webbuild.targets.target import Target

X = np.linspace(-2, 2, 32, dtype=np.float16).reshape(1, 2, 4, 4)
LEAST, MOST = (np.array(value, np.float16) for value in (-1, 1))
SCALES = Initializer(np.array([1, 1, 2, 2], np.float32))
REFUSED = {
    "Clip": make_probe("Clip", X, LEAST, MOST),
    "Pad": make_probe("Pad", X, int64s(0, 0, 1, 1, 0, 0, 1, 1)),
    "ThresholdedRelu": make_probe("ThresholdedRelu", X, alpha=0.5),
    "Resize": make_probe("Resize", X, None, SCALES, mode="cubic", opset=19),
}
"""For float16: naga refuses the first two, and every WGSL compiler the others."""
COMPILED = [
    make_probe("Relu", X),
    make_probe("Add", X, X),
    make_probe("Clip float", X.astype(np.float32), LEAST.astype(np.float32)),
]
RUN = """async ([bundle, backend]) => {
  const { load } = await import(`${bundle}yolo-pose.js`);
  const { samples } = await (await fetch(`${bundle}manifest.json`)).json();
  const blob = await (await fetch(`${bundle}${samples[0].file}`)).blob();
  const model = await load({ backend });
  const of = async (given) => (await model.run(given)).poses.map(({ box }) => Object.values(box));
  const bitmap = await createImageBitmap(blob);
  const frame = typeof VideoFrame === "function" ? new VideoFrame(bitmap, { timestamp: 0 }) : null;
  const found = { file: await of(blob), frame: frame && (await of(frame)), reason: model.reason };
  const { adapter, engine } = model.info();
  await model.dispose();
  return { ...found, adapter, build: engine.build, external: "importExternalTexture" in GPUDevice.prototype };
}"""
FULL = """let room = 1_000_000;
const full = () => new DOMException("full", "QuotaExceededError");
const handle = globalThis.FileSystemSyncAccessHandle?.prototype;
if (handle) {
  const { write } = handle;
  handle.write = function (piece, ...more) {
    const fits = Math.min(room, piece.byteLength);
    room -= fits;
    return write.call(this, piece.subarray(0, fits), ...more);
  };
}
Cache.prototype.put = () => Promise.reject(full());
"""
"""Runs before the worker's script: the disk becomes full in the middle of a file."""
KEPT = """async () => {
  const cache = await caches.open("webbuild-findings");
  return (await cache.keys()).map(({ url }) => url.split("/").pop()).sort();
}"""


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory) -> OrtWebBuild:
    return get_build(Target(packaged_assets.engine_version(), "webgpu"), tmp_path_factory.mktemp("cache"))


@pytest.fixture(scope="module")
def harness(firefox_with_adapter: FirefoxHandle, build: OrtWebBuild) -> Iterator[ProbeHarness]:
    with open_harness(firefox_with_adapter, build) as made:
        assert made.adapter() == "unnamed", "Firefox leaves every word of adapter.info empty"
        yield made


def measured(harness: ProbeHarness, probe: Probe) -> ProbeResponse:
    (answer,) = harness.measure([probe], fresh=True)
    return answer


@pytest.mark.parametrize("op", REFUSED)
def test_float16_shaders_that_do_not_compile_are_those_that_stay_float32(harness: ProbeHarness, op: str) -> None:
    answer = measured(harness, REFUSED[op])
    assert answer.stage == "run"
    assert "Failed to create a WebGPU compute pipeline" in answer.error
    assert f"Shader '{op}" in answer.shader
    assert set(REFUSED) == {*FIREFOX_OPS, *ComputeInFloat32.operators}


def test_the_other_float16_shaders_compile(harness: ProbeHarness) -> None:
    assert [(each.stage, each.error) for each in harness.measure(COMPILED, fresh=True)] == [("", "")] * len(COMPILED)


def test_chromium_compiles_two_of_them(webgpu: BrowserHandle, build: OrtWebBuild, float16: bool) -> None:
    if not float16:
        pytest.skip("this adapter has no float16")
    with open_harness(webgpu, build) as harness:
        stages = {op: measured(harness, probe).stage for op, probe in REFUSED.items()}
    assert stages == {"Clip": "", "Pad": "", "ThresholdedRelu": "run", "Resize": "run"}


def test_frames_are_copied_and_give_the_same_people(firefox_webgpu: BidiPage, bundle: Path) -> None:
    """Without external textures, frames go through a canvas, as files do."""
    with Server(bundle, virtual=dict(BLANK)) as server:
        firefox_webgpu.goto(f"{server.url}blank.html")
        found = firefox_webgpu.evaluate(RUN, ["./", "webgpu"])
    assert (found["external"], found["build"]) == (False, "jspi")
    assert len(found["file"]) == 6
    np.testing.assert_allclose(found["frame"], found["file"], atol=0.5)
    assert not any(found["adapter"].values()), "a verdict is kept by the browser's name, since the adapter has none"
    assert firefox_webgpu.console.complaints == []


def test_a_verdict_is_remembered_for_the_browser_alone(
    firefox_webgpu: BidiPage, webgpu: BrowserHandle, bundle: Path
) -> None:
    """Cache keys differ by browser, even for the same bundle and, if it has no name, the same adapter."""
    with Server(bundle, virtual=dict(BLANK)) as server, webgpu.page() as (other, _):
        keys = []
        for page in (firefox_webgpu, other):
            page.goto(f"{server.url}blank.html")
            page.evaluate(RUN, ["./", "webgpu"])
            keys.append(set(page.evaluate(KEPT, None)))
    assert all(keys)
    assert not keys[0] & keys[1]


def test_a_disk_that_is_full_in_the_middle_of_a_file(firefox_here: FirefoxHandle, bundle: Path) -> None:
    """The model still runs, reports the full disk, and later visits find no partial file."""
    script = FULL.encode() + (bundle / "runtime" / "worker.js").read_bytes()
    virtual = {**BLANK, "/runtime/worker.js": ("text/javascript", script)}
    with Server(bundle, virtual=virtual) as server, firefox_here.page() as (page, console):
        visits = []
        for visit in range(3):
            page.goto(f"{server.url}blank.html?{visit}")
            loaded = page.evaluate(LOAD, {"backend": "wasm"})
            assert "people" in loaded, loaded
            visits.append((loaded["people"], loaded["warnings"]))
            virtual.pop("/runtime/worker.js", None)
    assert visits == [(6, ["not-kept"]), (6, []), (6, [])]
    assert console.errors == []
