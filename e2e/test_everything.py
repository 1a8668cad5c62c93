"""Everything in an image: in Chromium the shipped segmenter finds the masks of native ONNX Runtime and Python."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from e2e.conftest import Webbuild
from tests.click_models import click_pair, objects_pair
from tests.everything import (
    EverythingSettings,
    FoundMask,
    best_masks,
    click_on,
    grid_points,
    point_masks,
)
from webbuild.browser.chromium import BrowserHandle
from webbuild.browser.server import Server
from webbuild.compile.object_variant import OBJECTS
from webbuild.manifest.manifest import ImageInput, MaskGenerationTask, decode
from webbuild.preprocess.image import image_to_tensor, load_image
from webbuild.preprocess.point_prompt import point_prompt_feeds
from webbuild.runners.native import NativeRunner

MODEL = Path(__file__).parents[1] / "models" / "promptable-segmenter"
SETTINGS = EverythingSettings(points_per_side=5, score_threshold=0.4, stability_threshold=0.6)
ANY = EverythingSettings(points_per_side=3, score_threshold=0, stability_threshold=0, overlap_threshold=1)
"""All masks: in the synthetic model several have the same score, so their order is arbitrary."""
ASK = """async ([name, backend, sample, settings]) => {
  const { load, maskPixels } = await import(`./${name}.js`);
  const model = await load({ backend });
  const picture = await (await fetch(sample)).blob();
  const scene = await model.look(picture);
  const refused = async (options) => {
    try { await scene.everything(options); return null; }
    catch ({ code, message, fix, name }) { return { code, message, fix, name }; }
  };
  const order = [];
  const progress = [];
  const all = scene.everything({ ...settings, onProgress: (at) => progress.push(at) }).then((found) => {
    order.push("everything");
    return found;
  });
  const another = model.look(picture).then((looked) => {
    order.push("look");
    return looked;
  });
  await scene.segment({ points: [{ x: 40, y: 40 }] });
  order.push("segment");
  const { masks, warnings, timings } = await all;
  const stop = new AbortController();
  let steps = 0;
  const onProgress = () => { if (++steps === 2) stop.abort(); };
  const aborted = await refused({ ...settings, signal: stop.signal, onProgress });
  const left = await another;
  let points = 0;
  const released = await left.everything({ ...settings, onProgress: () => { if (++points === 2) left.release(); } })
    .catch(({ code, message }) => ({ code, message }));
  await left.release();
  const none = await scene.everything({ ...settings, pointsPerSide: 1, scoreThreshold: 1 });
  const answer = {
    masks: masks.map(({ mask, ...rest }) => ({
      ...rest, counts: Array.from(mask.counts), area: maskPixels(mask).reduce((sum, pixel) => sum + pixel, 0),
    })),
    warnings, order, progress, aborted, steps, released, points, timed: timings.inference > 0,
    none: { masks: none.masks, warnings: none.warnings },
    wrong: await refused({ pointsPerSide: 0 }),
    unknown: await refused({ points_per_side: 3 }),
  };
  await scene.release();
  await model.dispose();
  return answer;
}"""


def test_the_shipped_segmenter_finds_what_python_finds(
    webbuild: Webbuild, webgpu: BrowserHandle, tmp_path: Path
) -> None:
    compare(webbuild, webgpu, (MODEL / "encoder.onnx", MODEL / "decoder.onnx"), tmp_path / "out", "wasm", SETTINGS)


def test_masks_are_read_back_from_the_gpu(webbuild: Webbuild, webgpu: BrowserHandle, tmp_path: Path) -> None:
    """A software GPU takes seconds for one prompt of the shipped model."""
    compare(webbuild, webgpu, click_pair(tmp_path), tmp_path / "out", "webgpu", ANY)


def test_clicks_run_together_where_the_decoder_takes_several_objects(
    webbuild: Webbuild, webgpu: BrowserHandle, tmp_path: Path
) -> None:
    """Remaining points that do not fill a batch run one at a time."""
    settings = msgspec.structs.replace(ANY, points_per_side=13, overlap_threshold=0.1)
    count = settings.points_per_side**2
    together = count - count % OBJECTS
    done = [*range(OBJECTS, together + 1, OBJECTS), *range(together + 1, count + 1)]
    compare(webbuild, webgpu, objects_pair(tmp_path), tmp_path / "out", "webgpu", settings, done)


def compare(
    webbuild: Webbuild,
    webgpu: BrowserHandle,
    models: tuple[Path, Path],
    packed: Path,
    backend: str,
    settings: EverythingSettings,
    done: Sequence[int] | None = None,
) -> None:
    """Pack an encoder and a decoder; in Chromium, find everything and click once meanwhile."""
    pack = webbuild("pack", *models, "-o", packed, "--no-verify")
    assert pack.returncode == 0, pack.stderr
    manifest = decode((packed / "manifest.json").read_bytes())
    with Server(packed) as server, webgpu.page() as (page, _):
        page.goto(f"{server.url}report.html")
        found = page.evaluate(ASK, [manifest.name, backend, manifest.samples[0].file, msgspec.to_builtins(settings)])
    count = settings.points_per_side**2
    scores = [each["score"] for each in found["masks"]]
    assert scores == sorted(scores, reverse=True)
    same_masks(native(packed, models, settings), found["masks"])
    assert found["warnings"] == []
    assert found["timed"]
    assert found["progress"] == [{"done": at, "total": count} for at in done or range(1, count + 1)]
    assert sorted(found["order"][:2]) == ["look", "segment"]
    assert found["order"][2:] == ["everything"]
    assert (found["aborted"]["code"], found["steps"]) == ("aborted", 2)
    assert found["released"] == {"code": "aborted", "message": "stopped, as its scene was released"}
    assert found["points"] == 2
    assert found["none"]["masks"] == []
    assert found["none"]["warnings"][0]["code"] == "no-masks"
    assert found["wrong"]["code"] == found["unknown"]["code"] == "invalid-option"
    assert found["wrong"]["message"] == "pointsPerSide: wanted a whole number from 1 to 256, got 0"
    assert "pointsPerSide" in found["unknown"]["fix"]


def native(packed: Path, models: tuple[Path, Path], settings: EverythingSettings) -> list[FoundMask]:
    """Return the masks that the original models and Python find."""
    manifest = decode((packed / "manifest.json").read_bytes())
    encoder, decoder = manifest.every_stage
    (image,), task = encoder.inputs, decoder.task
    assert isinstance(image, ImageInput)
    assert isinstance(task, MaskGenerationTask)
    tensor, placement = image_to_tensor(load_image(packed / manifest.samples[0].file), image)
    embeddings = NativeRunner(models[0]).run({image.name: tensor})
    original = NativeRunner(models[1])
    found: list[FoundMask] = []
    for point in grid_points(settings.points_per_side, placement.source_width, placement.source_height):
        feeds = point_prompt_feeds(decoder.inputs, task, [click_on(point)], placement)
        fed = {"orig_im_size": np.array([8, 8], np.float32), **feeds, **embeddings}
        dtypes = original.input_dtypes
        outputs = original.run({name: array.astype(dtypes[name]) for name, array in fed.items() if name in dtypes})
        found += point_masks(task, outputs, placement, point, settings)
    return best_masks(found, settings)


def same_masks(want: list[FoundMask], got: list[dict[str, Any]]) -> None:
    assert len(want) >= 3
    got = sorted(got, key=lambda each: (each["point"]["y"], each["point"]["x"], each["area"]))
    want = sorted(want, key=lambda each: (*each.point[::-1], np.count_nonzero(each.mask)))
    assert [(each["point"]["x"], each["point"]["y"]) for each in got] == [pytest.approx(each.point) for each in want]
    for one, other in zip(want, got, strict=True):
        assert other["score"] == pytest.approx(one.score, abs=1e-3)
        assert other["stability"] == pytest.approx(one.stability, abs=1e-2)
        mask = np.repeat(np.arange(len(other["counts"])) % 2 == 1, other["counts"]).reshape(one.mask.T.shape).T
        assert other["area"] == np.count_nonzero(mask)
        assert np.count_nonzero(mask != one.mask) <= 1e-3 * np.count_nonzero(one.mask) + 1
