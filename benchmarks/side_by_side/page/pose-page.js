// The commands of a page that finds people, whichever library it does that with.

import { counted } from "./kernels.js";
import { answer, pictures } from "./calls.js";

const samples = [];

/** `load` makes a session from what it is given; `detect` returns the boxes of a picture: x1, y1, x2, y2, score. */
export function posePage(load, detect) {
  const timed = async (work) => {
    const start = performance.now();
    await work();
    return performance.now() - start;
  };
  answer({
    load: async (given) => ({ session: await timed(() => load(given)) }),
    first: async ({ urls }) => timed(async () => detect(await createImageBitmap(await pictures(urls)))),
    hold: async ({ urls }) => void samples.push(await createImageBitmap(await pictures(urls))),
    run: async ({ sample }) => timed(() => detect(samples[sample])),
    found: async ({ sample }) => detect(samples[sample]),
    counted,
  });
}
