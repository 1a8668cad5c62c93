// Measures one job on the WebGPU of whatever it runs in: Dawn in Node, or a browser.

import type { OrtWeb } from "../../../web/src/engine/engine.js";
import { measureFrame } from "./frame.js";
import type { Job, Measured, ReadFile } from "./job.js";
import { countKernels } from "./kernels.js";
import { measureModel } from "./model-run.js";
import { measureSuppression } from "./suppression.js";

export async function measure(job: Job, engine: () => Promise<OrtWeb>, read: ReadFile): Promise<Measured> {
  countKernels();
  switch (job.kind) {
    case "model":
      return measureModel(job, await engine(), read);
    case "suppression":
      return measureSuppression(job);
    case "frame":
      return measureFrame(job);
    default:
      return job satisfies never;
  }
}
