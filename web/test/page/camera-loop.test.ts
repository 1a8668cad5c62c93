// The page's camera: stopping it while it starts is no failure, and failures have codes that are words.

import { afterEach, expect, test } from "vitest";
import { CameraLoop } from "../../page/input/camera-loop.js";
import { describe as describeFailure } from "../../page/shell/failure-card.js";

const { mediaDevices } = navigator;
const { getUserMedia } = mediaDevices;

afterEach(() => {
  mediaDevices.getUserMedia = getUserMedia;
});

test("stopping the camera while it starts is no failure", async () => {
  const [video, webcam, flip] = [
    document.createElement("video"),
    document.createElement("button"),
    document.createElement("button"),
  ];
  video.muted = true;
  const canvas = document.createElement("canvas");
  canvas.getContext("2d");
  // No frame ever arrives, so that play() is pending until the camera is stopped.
  mediaDevices.getUserMedia = async () => canvas.captureStream(0);
  const failures: unknown[] = [];
  const onFailure = (error: unknown): void => void failures.push(error);
  const live = new CameraLoop(
    { video, webcam, flip, paint() {} },
    { onStart() {}, async onFrame() {}, onStop() {}, onFailure },
  );
  const playing = new Promise((resolve) => video.addEventListener("play", resolve));
  const started = live.start();
  await playing;
  live.stop();
  await started;
  expect(failures).toEqual([]);
  expect(live.on).toBe(false);
});

test("a disconnected camera is reported once", async () => {
  const track = new EventTarget();
  const stream = new MediaStream();
  stream.getVideoTracks = () => [Object.assign(track, { getSettings: () => ({}), stop() {} })] as never;
  mediaDevices.getUserMedia = async () => stream;
  const video = Object.assign(document.createElement("video"), { play: async () => {} });
  const [webcam, flip] = [document.createElement("button"), document.createElement("button")];
  const events: unknown[] = [];
  const started = new Promise<void>((onStart) => {
    const live = new CameraLoop(
      { video, webcam, flip, paint() {} },
      {
        onStart,
        async onFrame() {},
        onStop: () => events.push("stopped"),
        onFailure: (error) => events.push(describeFailure(error).code),
      },
    );
    void live.start();
  });
  await started;
  track.dispatchEvent(new Event("ended"));
  track.dispatchEvent(new Event("ended"));
  expect(events).toEqual(["stopped", "camera-lost"]);
});

test("a failure's code is a word, never the number of a DOMException", () => {
  const failure = describeFailure(new DOMException("interrupted", "AbortError"));
  expect(failure).toMatchObject({
    code: "unexpected",
    message: "interrupted",
    fix: expect.stringMatching(/Reload/),
  });
});
