// load() and run() called in a page's own worker, as in programs that keep their main thread free.

import { expect, test } from "vitest";
import { bundle, picture } from "../support/bundle.js";

const SCRIPT = `
addEventListener("message", async ({ data: { bundle, image, options } }) => {
  const { load } = await import(bundle + "runtime/webbuild.js");
  const refused = ({ code, fix }) => ({ code, fix });
  try {
    const model = await load(bundle + "manifest.json", options);
    const { kind, poses } = await model.run(image);
    const canvas = new OffscreenCanvas(8, 8);
    canvas.getContext("2d").fillRect(0, 0, 8, 8);
    const drawn = await model.run(canvas);
    const wrong = await model.run({}).catch(refused);
    let streamed;
    try { model.stream({}, () => {}); } catch (error) { streamed = refused(error); }
    await model.dispose();
    postMessage({ kind, found: poses.length, width: drawn.width, wrong: wrong.code, streamed: streamed.code });
  } catch (error) {
    postMessage(String(error));
  }
});
`;

test.each([{ backend: "wasm", cache: false }, { cache: false }])(
  "a worker can load a model with %o and run it",
  async (options) => {
    const url = URL.createObjectURL(new Blob([SCRIPT], { type: "text/javascript" }));
    const worker = new Worker(url, { type: "module" });
    try {
      const image = await picture("upright.png");
      const answer = await new Promise((resolve, reject) => {
        worker.onmessage = ({ data }) => resolve(data);
        worker.onerror = ({ message }) => reject(new Error(message));
        worker.postMessage({ bundle: bundle("").href, image, options });
      });
      const wrong = "invalid-image";
      expect(answer).toEqual({ kind: "pose", found: 2, width: 8, wrong, streamed: wrong });
    } finally {
      worker.terminate();
      URL.revokeObjectURL(url);
    }
  },
);
