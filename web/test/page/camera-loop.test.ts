// The page's camera: what is stopped while it starts did not fail, and what failed is told in words.

import { afterEach, expect, test } from "vitest";
import { CameraLoop } from "../../page/input/camera-loop.js";
import { describe as describeFailure } from "../../page/shell/failure-card.js";

const { mediaDevices } = navigator;
const { getUserMedia } = mediaDevices;

afterEach(() => {
  mediaDevices.getUserMedia = getUserMedia;
  document.body.replaceChildren();
});

/** The camera's controls, as the page has them. */
function build(): HTMLVideoElement {
  document.body.innerHTML = `<button id="webcam"><svg><use id="webcam-icon"/></svg><span id="webcam-text"></span>
    </button><button id="flip"></button><video id="video" muted></video>`;
  return document.querySelector("video") as HTMLVideoElement;
}

test("stopping the camera while it starts is no failure", async () => {
  const video = build();
  const canvas = document.createElement("canvas");
  canvas.getContext("2d");
  // No frame ever comes, so that play() is under way until the camera is stopped.
  mediaDevices.getUserMedia = async () => canvas.captureStream(0);
  const failures: unknown[] = [];
  const onFailure = (error: unknown): void => void failures.push(error);
  const live = new CameraLoop({ onStart() {}, async onFrame() {}, onStop() {}, onFailure });
  const playing = new Promise((resolve) => video.addEventListener("play", resolve));
  const started = live.start();
  await playing;
  live.stop();
  await started;
  expect(failures).toEqual([]);
  expect(live.on).toBe(false);
});

test("a failure's code is a word, never the number of a DOMException", () => {
  const told = describeFailure(new DOMException("interrupted", "AbortError"));
  expect(told).toMatchObject({
    code: "unexpected",
    message: "interrupted",
    fix: expect.stringMatching(/Reload/),
  });
});
