import { afterEach, describe, expect, test } from "vitest";
import type { Model, Progress, Result } from "../src/index.js";
import { bundle, hasWebgpu, picture, runtime } from "./bundle.js";

const { load } = runtime;
const models: Model[] = [];

async function loaded(...args: Parameters<typeof load>): Promise<Model> {
  const model = await load(...args);
  models.push(model);
  return model;
}

afterEach(async () => {
  for (const model of models.splice(0)) await model.dispose();
});

describe.runIf(hasWebgpu)("webgpu", () => {
  test("runs", async () => {
    const model = await loaded(bundle("mixed.json"), { backend: "webgpu", trace: true });
    console.log(JSON.stringify(model.info(), null, 1), crossOriginIsolated, model.reason);
    const result = await model.run(await picture("upright.png"));
    console.log(JSON.stringify(result));
    const many = await model.run(await picture("upright.png"), { confidence: 0 });
    console.log(JSON.stringify(many), model.warnings);
  });
});
