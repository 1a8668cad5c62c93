// What a service worker answers with from Cache Storage: the engine, which Chromium then keeps compiled code of.

import { cachedAddress, cachedAt } from "./storage-backends.js";

/** Returns the answer, null where the request is not for the engine. */
export function engineAnswer({ url }: Request): Promise<Response> | null {
  if (!url.startsWith(cachedAddress(""))) return null;
  return cachedAt(url).then((kept) => kept ?? Response.error());
}
