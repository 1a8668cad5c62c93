// Commands that Python calls in a page by name. Each returns a reply, also if it fails or hangs.

import { ARRAYS } from "./arrays.js";

/**
 * Lets Python call commands by name. An exception is returned as a value, with the runtime's code and fix. So is a
 * timeout after `limit` seconds, if set.
 */
export function answer(commands) {
  globalThis.webbuild = async ({ command, limit, ...args }) => {
    let timer;
    const late = new Promise((resolve) => {
      const error = { code: "timeout", message: `no answer in ${limit} s`, fix: "" };
      if (limit) timer = setTimeout(() => resolve({ error }), limit * 1000);
    });
    const work = commands[command](args).then(
      (value) => ({ value }),
      (error) => ({
        error: {
          code: typeof error?.code === "string" ? error.code : "uncaught", // a DOMException's is a number
          message: String(error?.message ?? error),
          fix: String(error?.fix ?? ""),
        },
      }),
    );
    try {
      return await Promise.race([work, late]);
    } finally {
      clearTimeout(timer);
    }
  };
}

/** Fetches files of the local server as blobs: one blob, or an array for a stack. */
export async function pictures(urls) {
  const blobs = await Promise.all(urls.map(async (url) => (await fetch(url)).blob()));
  return blobs.length === 1 ? blobs[0] : blobs;
}

/** The options of a run, with the inpainting mask of the box `hole` and the second picture, if any. */
export async function runOptions({ hole, ...options }, second) {
  const reference = second.length > 0 ? { reference: await pictures(second) } : {};
  if (hole === undefined) return { ...options, ...reference };
  const [width, height, left, top, wide, high] = hole;
  const mask = new Uint8Array(width * height);
  for (let row = top; row < top + high; row++) mask.fill(1, row * width + left, row * width + left + wide);
  return { ...options, ...reference, mask };
}

/** Fetches tensors from the local server, by name. */
export async function tensors(feeds) {
  const entries = feeds.map(async ({ name, type, dims, url }) => {
    const bytes = await (await fetch(url)).arrayBuffer();
    return [name, { type, dims, data: new ARRAYS[type](bytes) }];
  });
  return Object.fromEntries(await Promise.all(entries));
}
