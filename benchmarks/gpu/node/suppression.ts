// Suppression alone, of random boxes on the GPU: the runtime's shader, or read back and done by the CPU.

import { GpuSuppressor } from "../../../web/src/suppression/gpu-suppressor.js";
import { type Anchors, type SuppressionLimits, suppress } from "../../../web/src/suppression/suppress.js";
import { download, openDevice, upload } from "./devices.js";
import type { Job, Measured } from "./job.js";
import { kernelsOf } from "./kernels.js";
import { repeat } from "./timing.js";

type SuppressionJob = Extract<Job, { kind: "suppression" }>;

/** Every fifth box is a candidate. */
const LIMITS: Omit<SuppressionLimits, "columns"> = {
  rowsOut: 300,
  maxDetections: 300,
  confidence: 0.8,
  iou: 0.7,
  maxCandidates: Number.POSITIVE_INFINITY,
  rotated: false,
};

export async function measureSuppression(job: SuppressionJob): Promise<Measured> {
  const device = await openDevice();
  const { boxes, scores, rows } = randomAnchors(job.anchors, job.columns);
  const limits = { ...LIMITS, columns: job.columns };
  const buffers = {
    boxes: upload(device, boxes),
    scores: upload(device, scores),
    rows: upload(device, rows),
  };
  const shader = await GpuSuppressor.open(device, false);
  const run = async (): Promise<Float32Array> => {
    if (job.on === "shader") return (await shader.run({ anchors: job.anchors, ...buffers }, limits)).rows;
    const read = (name: keyof typeof buffers): Promise<Float32Array> => download(device, buffers[name]);
    const anchors = { boxes: await read("boxes"), scores: await read("scores"), rows: await read("rows") };
    return suppress(anchors, limits).rows;
  };
  const [want, got] = [suppress({ boxes, scores, rows }, limits).rows, await run()];
  const differing = want.filter((value, index) => value !== got[index]).length;
  if (!want.some((value) => value !== 0)) throw new Error("no box is kept: nothing can be compared");
  const difference = differing > 0 ? `${differing} of ${want.length} numbers differ` : null;
  return { kernels: await kernelsOf(run), times: await repeat(job, run), difference };
}

/** Boxes of 40 pixels and more around 60 places of a picture of 640, as a detector finds them. */
function randomAnchors(
  count: number,
  columns: number,
): Anchors & Record<keyof Anchors, Float32Array<ArrayBuffer>> {
  let state = 1;
  const random = (): number => {
    state = (state * 48271) % 2147483647;
    return state / 2147483647;
  };
  const places = Array.from({ length: 60 }, () => [random() * 600, random() * 600, 40 + random() * 200]);
  const boxes = new Float32Array(count * 4);
  for (let anchor = 0; anchor < count; anchor++) {
    const [x = 0, y = 0, size = 0] = places[Math.floor(random() * places.length)] ?? [];
    const [left, top] = [x + random() * 20, y + random() * 20];
    boxes.set([left, top, left + size + random() * 20, top + size + random() * 20], anchor * 4);
  }
  const filled = (length: number): Float32Array<ArrayBuffer> => Float32Array.from({ length }, random);
  return { boxes, scores: filled(count), rows: filled(count * columns) };
}
