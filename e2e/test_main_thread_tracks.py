"""Tracking in a stream keeps the page responsive: 10,000 boxes in a frame, with the ids of the page's own Tracker."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser

from e2e.conftest import Open
from e2e.long_task import longest_task_allowed
from webbuild.browser.server import Server
from webbuild.browser.tracing import main_thread_tasks

pytestmark = pytest.mark.alone

FRAMES = 4

PREPARE = """async (count) => {
  const { load } = await import("./yolo-pose.js");
  const model = await load({ backend: "wasm" });
  let state = 7;
  const random = () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32;
  const boxes = Array.from({ length: 10_000 }, (_, at) => ({
    x: (at % 100) * 60 + random() * 40, y: Math.floor(at / 1000) * 90 + random() * 60,
    dx: random() * 4 - 2, dy: random() * 4 - 2,
  }));
  const film = Array.from({ length: count }, (_, frame) => ({
    kind: "detect", width: 6000, height: 900, timings: {},
    detections: boxes.map(({ x, y, dx, dy }) => {
      const [x1, y1] = [x + dx * frame, y + dy * frame];
      return { box: { x1, y1, x2: x1 + 20, y2: y1 + 40 }, score: 0.2 + random() * 0.8, classIndex: 0, label: "cell" };
    }),
  }));
  const canvas = Object.assign(document.createElement("canvas"), { width: 64, height: 48 });
  const draw = () => canvas.getContext("2d").fillRect(0, 0, 64, 48);
  setInterval(draw, 50);
  draw();
  const video = Object.assign(document.createElement("video"), { srcObject: canvas.captureStream(), muted: true });
  document.body.append(video);
  await video.play();
  Object.assign(globalThis, { model, film, video });
}"""
"""Frames with 10,000 boxes in clusters, and a model that finds them."""

STREAM = """async () => {
  const frames = film.values();
  globalThis.ids = [];
  model.run = async () => frames.next().value;
  const stream = model.stream(video, ({ detections }) => {
    ids.push(detections.map(({ track }) => track ?? null));
    if (ids.length === film.length) stream.stop();
  }, { track: true });
  await stream.finished;
}"""
"""Returns nothing: passing values to Python takes a long task."""

PAGE = """async () => {
  const { Tracker } = await import("./yolo-pose.js");
  const tracker = new Tracker();
  globalThis.want = film.map((result) => {
    tracker.update(result);
    return result.detections.map(({ track }) => track ?? null);
  });
}"""


def test_a_stream_with_tracks_of_10000_boxes_blocks_nothing(
    open_page: Open, without_gpu: Browser, root: Server
) -> None:
    page = open_page(without_gpu, f"{root.url}report.html").page
    page.evaluate(PREPARE, FRAMES)
    with main_thread_tasks(without_gpu, page) as streaming:
        page.evaluate(STREAM)
    with main_thread_tasks(without_gpu, page) as tracking:
        page.evaluate(PAGE)
    ids = page.evaluate("ids")
    assert ids == page.evaluate("want")
    assert [sum(each is not None for each in frame) > 3000 for frame in ids] == [True] * FRAMES
    allowed = longest_task_allowed(page)
    assert streaming[0].ms < allowed, streaming
    assert tracking[0].ms > allowed, tracking
