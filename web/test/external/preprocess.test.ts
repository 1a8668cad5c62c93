// Video frames imported as external textures, in a Chromium that supports them.

import { describe, expect, test } from "vitest";
import type { Model } from "../../src/index.js";
import { loadTiny, picture, sharedTiny, withWorker } from "../support/bundle.js";
import { expectClose } from "../support/compare-tensors.js";
import { film } from "../support/playing-video.js";
import { videoFrame } from "../support/video-frames.js";

/** One level of 255: the tiny input goes from 0 to 1. */
const LEVEL = 1 / 255;
const LIES = { path: "gpu", texture: "external", reason: expect.stringContaining("without a copy") };
const COPIED = (reason: string) => ({
  path: "gpu",
  texture: "copied",
  reason: expect.stringContaining(reason),
});

async function fed(model: Model, source: VideoFrame | HTMLVideoElement): Promise<Float32Array> {
  return (await model.preprocess(source)).data as Float32Array;
}

async function ran(model: Model, frame: VideoFrame) {
  const result = await model.run(frame);
  frame.close();
  return result;
}

describe("frames are imported as external textures", () => {
  const onGpu = sharedTiny({ backend: "webgpu" });
  const onCpu = sharedTiny({ backend: "webgpu", processing: "cpu" });

  test("and the model and every result report it", async () => {
    expect(onGpu().info().preprocess).toEqual(COPIED("VideoFrames are read without a copy"));
    expect((await ran(onGpu(), videoFrame({}))).preprocess).toEqual(LIES);
    expect(onGpu().info().preprocess).toEqual(LIES);
  });

  test("for a file, then a frame of its size, then the file again", async () => {
    const file = await picture("upright.png");
    const { width, height } = await createImageBitmap(file);
    expect((await onGpu().run(file)).preprocess.texture).toBe("copied");
    const sized = { codedWidth: width, codedHeight: height };
    const [given, same] = [videoFrame(sized), videoFrame(sized)];
    expectClose(await fed(onGpu(), given), await fed(onCpu(), same), LEVEL);
    expect((await onGpu().run(given)).preprocess).toEqual(LIES);
    expect((await onGpu().run(file)).preprocess.texture).toBe("copied");
    expect(same.format, "the caller's frame stays open").not.toBeNull();
    given.close();
    same.close();
  });

  test("of a video, and of a stream of it", async () => {
    const { video, end } = await film();
    video.pause();
    expectClose(await fed(onGpu(), video), await fed(onCpu(), video), LEVEL);
    expect((await onGpu().run(video)).preprocess).toEqual(LIES);
    await video.play();
    const textures: unknown[] = [];
    const stream = onGpu().stream(video, ({ preprocess }) => {
      textures.push(preprocess.texture);
      if (textures.length === 3) stream.stop();
    });
    await stream.finished;
    expect(textures).toEqual(["external", "external", "external"]);
    end();
  });

  test("except a kind that the CPU converts differently", async () => {
    const [frame, same] = [videoFrame({ format: "I420" }), videoFrame({ format: "I420" })];
    expectClose(await fed(onGpu(), frame), await fed(onCpu(), same), LEVEL);
    expect((await ran(onGpu(), frame)).preprocess).toEqual(
      COPIED("preprocesses I420 differently from the CPU"),
    );
    same.close();
  });
});

describe("a GPU that is lost while it reads a frame", () => {
  test("in the trial is not the engine's device", async () => {
    await withWorker("worker-losing-frames.js", async () => {
      const model = await loadTiny({ backend: "webgpu" });
      expect(model.info().preprocess).toEqual(COPIED("VideoFrames are copied: it loses the GPU device"));
      expect((await ran(model, videoFrame({}))).preprocess).toEqual(COPIED("the frame was copied: it loses"));
      expect(model.warnings).toEqual([]);
    });
  });

  test("in a run is requested again, and the frame is copied", async () => {
    await withWorker("worker-losing-frames.js?trial=passed", async () => {
      const model = await loadTiny({ backend: "webgpu" });
      expect((await ran(model, videoFrame({}))).preprocess).toEqual(COPIED("the GPU was lost before"));
      expect((await ran(model, videoFrame({}))).preprocess).toEqual(COPIED("the GPU was lost before"));
      expect(model.warnings.map(({ code }) => code)).toEqual(["device-lost"]);
    });
  });
});
