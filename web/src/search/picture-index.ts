// An index of pictures, written by `webbuild embed`: their unit vectors and names.

import { abortedError, errorMessage, WebbuildError } from "../api/errors.js";
import { resolveAddress } from "../api/fetch-manifest.js";
import { checkObserver } from "../api/options.js";

/** Unit vectors of pictures, one after another, and the pictures' names. */
export interface PictureIndex {
  /** All vectors in one array: `dimension` numbers for each name. [names.length * dimension] */
  vectors: Float32Array;
  names: readonly string[];
  dimension: number;
}

const FORMAT = 1;

/** Fetches an index. `url` is the URL of its .json file; the .bin file is next to it. */
export async function loadIndex(
  url: URL | string,
  options: { signal?: AbortSignal | undefined } = {},
): Promise<PictureIndex> {
  checkObserver(options, "loadIndex()", ["signal"]);
  const { href } = resolveAddress(url, "loadIndex()");
  const vectors = href.replace(/\.json(?=$|[?#])/, ".bin");
  if (vectors === href) throw invalidIndex(`${href} is not the URL of a .json file`);
  const signal = options.signal;
  const [header, bytes] = await Promise.all([
    download(href, signal, (answer) => answer.json()),
    download(vectors, signal, (answer) => answer.arrayBuffer()),
  ]);
  const { format, names, dimension } = Object(header) as Partial<Record<string, unknown>>;
  if (format !== FORMAT || !isNames(names) || typeof dimension !== "number")
    throw invalidIndex(`${href} is no index of this version`);
  const wanted = 4 * names.length * dimension;
  if (bytes.byteLength !== wanted)
    throw invalidIndex(`${href}: its vectors are ${bytes.byteLength} bytes, not ${wanted}`);
  return { vectors: new Float32Array(bytes), names, dimension };
}

async function download<T>(
  url: string,
  signal: AbortSignal | undefined,
  read: (answer: Response) => Promise<T>,
): Promise<T> {
  try {
    const answer = await fetch(url, { signal: signal ?? null });
    if (!answer.ok) throw new Error(`the server answered ${answer.status} ${answer.statusText}`.trim());
    return await read(answer);
  } catch (cause) {
    if (signal?.aborted) throw abortedError(signal);
    const reason = errorMessage(cause);
    throw new WebbuildError("download-failed", `${url}: ${reason}`, "check that it is deployed", { cause });
  }
}

function isNames(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((name) => typeof name === "string");
}

function invalidIndex(message: string): WebbuildError {
  const fix = "write it again with `webbuild embed`, and deploy both files, .json and .bin, unchanged";
  return new WebbuildError("invalid-index", message, fix);
}
