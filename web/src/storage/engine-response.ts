// A service worker's response with the engine: Chromium caches the compiled code of such responses.

import { cachedAddress, cachedAt } from "./storage-backends.js";

/** The name of a stored engine: its SHA-256. */
const HASH = /^[0-9a-f]{64}$/;

/** Returns the response, null if the request is not for the engine: a site may be at the same path. */
export function engineResponse({ url }: Request): Promise<Response> | null {
  const folder = cachedAddress("");
  if (!url.startsWith(folder) || !HASH.test(url.slice(folder.length))) return null;
  return cachedAt(url).then((cached) => cached ?? Response.error());
}
