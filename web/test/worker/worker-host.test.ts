import { describe, expect, test } from "vitest";
import { WebbuildError } from "../../src/api/errors.js";
import type { SharedEngine } from "../../src/engine/shared-engine.js";
import { IdleTime } from "../../src/worker/idle-time.js";
import { Queue } from "../../src/worker/queue.js";
import { WorkerHost } from "../../src/worker/worker-host.js";

const bitmap = (): Promise<ImageBitmap> => createImageBitmap(new ImageData(4, 2));
const state = { stream: 0, after: null, given: null };

/** The error of a run on a worker that has no model yet. */
async function failureOf(
  pictures: readonly ImageBitmap[],
  mask: ImageBitmap,
  reads: typeof state | null,
  dropped = false,
): Promise<WebbuildError> {
  const activity = new IdleTime(async () => true);
  const host = new WorkerHost({ queue: new Queue(), activity } as SharedEngine);
  if (dropped) host.cancel(1);
  const error: unknown = await (async () => host.run(1, pictures, { mask }, reads))().catch((why) => why);
  if (!(error instanceof WebbuildError)) throw error;
  return error;
}

describe("a run that ends early", () => {
  test("closes its images and its mask if it was aborted", async () => {
    const [picture, mask] = [await bitmap(), await bitmap()];
    const { code, pictures } = await failureOf([picture], mask, state, true);
    expect([code, pictures, picture.width, mask.width]).toEqual(["aborted", [], 0, 0]);
  });

  test.each([
    ["before it has its turn", null],
    ["in its turn", state],
  ])("returns its images and closes its mask if it fails %s", async (_, reads) => {
    const [picture, mask] = [await bitmap(), await bitmap()];
    const { code, pictures } = await failureOf([picture], mask, reads);
    expect([code, pictures, picture.width, mask.width]).toEqual(["internal", [picture], 4, 0]);
  });
});
