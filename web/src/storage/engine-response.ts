// A service worker's response with the engine: Chromium caches the compiled code of such responses.

import { cachedAddress, cachedAt } from "./storage-backends.js";

/** Returns the response, null if the request is not for the engine. */
export function engineResponse({ url }: Request): Promise<Response> | null {
  if (!url.startsWith(cachedAddress(""))) return null;
  return cachedAt(url).then((cached) => cached ?? Response.error());
}
