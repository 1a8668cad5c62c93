// A frame into a model's input, on the GPU at the end: by the CPU, through a texture, or from a VideoFrame where it lies.

import { GpuPreprocess } from "../../../web/src/preprocess/gpu/gpu-preprocess.js";
import { runInput } from "../../../web/src/preprocess/image-input.js";
import { letterbox, placePicture } from "../../../web/src/preprocess/letterbox.js";
import { readPixels } from "../../../web/src/preprocess/pixels.js";
import { openDevice } from "./devices.js";
import type { Job, Measured } from "./job.js";
import { kernelsOf } from "./kernels.js";
import { repeat } from "./timing.js";

type FrameJob = Extract<Job, { kind: "frame" }>;

export async function measureFrame(job: FrameJob): Promise<Measured> {
  if (job.on === "external" && typeof VideoFrame !== "function")
    throw new Error("VideoFrame: only browsers have it");
  const device = await openDevice();
  const input = runInput(job.case.inputs);
  const gpu = await GpuPreprocess.open(device, input, job.on === "external");
  const pixels = picture(job.width, job.height);
  const geometry = placePicture(pixels, input.image);
  const frame = job.on === "external" ? videoFrame(pixels) : pixels;
  const run = async (): Promise<void> => {
    if (job.on === "cpu") gpu.upload(letterbox(await readPixels(frame), input.image, geometry));
    else {
      const refused = await gpu.allocate(frame);
      if (refused !== null) throw new Error(refused);
      gpu.write(frame);
    }
    await device.queue.onSubmittedWorkDone();
  };
  await run();
  const [want, got] = [letterbox(await readPixels(frame), input.image, geometry), await gpu.read()];
  const level = input.image.scale / Math.max(...input.image.std);
  const off = want.reduce(
    (worst, value, at) => Math.max(worst, Math.abs(value - (got[at] ?? Number.NaN))),
    0,
  );
  const difference = off <= level ? null : `a pixel differs by ${(off / level).toFixed(1)} levels of 255`;
  return { kernels: await kernelsOf(run), times: await repeat(job, run), difference };
}

/** Smooth colours with noise, opaque. */
function picture(width: number, height: number): ImageData {
  const image = new ImageData(width, height);
  let state = 1;
  for (let at = 0; at < image.data.length; at++) {
    state = (state * 48271) % 2147483647;
    const pixel = at >> 2;
    const colour = [pixel % width, Math.floor(pixel / width), pixel >> 4][at % 4] ?? 0;
    image.data[at] = at % 4 === 3 ? 255 : (colour + (state % 32)) % 256;
  }
  return image;
}

function videoFrame({ data, width, height }: ImageData): VideoFrame {
  return new VideoFrame(data, { format: "RGBA", codedWidth: width, codedHeight: height, timestamp: 0 });
}
