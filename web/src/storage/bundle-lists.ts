// The stored files of each bundle, and when it was last opened. Files in no bundle's list are deleted.

import { LIMITS, TimedOut, withLimit } from "../worker/with-limit.js";
import { isRecent } from "./findings.js";
import { sha256 } from "./sha256.js";
import type { FileStore } from "./storage-backends.js";

/** A bundle's list: the URL of its manifest, when it was last opened, and the hashes of its files. */
interface BundleList {
  manifest: string;
  /** Milliseconds since 1970. */
  used: number;
  files: string[];
}

const PREFIX = "bundle-";
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** A bundle's list is deleted if the bundle was not opened for this long. */
const EXPIRY = 60 * DAY;
/** After this long it is deleted if its manifest is gone from the server, or a bundle needs the space. */
const EVICTION_AGE = DAY;

/** Does work while no other tab reads or writes lists: a half-written list would count as missing. */
async function withListLock<T>(limit: number, work: () => Promise<T>): Promise<T> {
  const waiting = AbortSignal.timeout(limit);
  try {
    return await navigator.locks.request("webbuild lists", { signal: waiting }, () =>
      withLimit(work(), limit, "the browser's storage"),
    );
  } catch (error) {
    throw error === waiting.reason ? new TimedOut("another tab that writes there", limit) : error;
  }
}

/**
 * Records that a bundle is opened, within `limit` milliseconds. If it is new, has changed, or was not opened
 * for a day, deletes lists that are not needed, and their files. Returns the manifests of deleted lists.
 */
export function openBundle(
  store: FileStore,
  manifest: string,
  files: readonly string[],
  limit: number,
): Promise<string[]> {
  return withListLock(limit, () => writeList(store, manifest, files));
}

async function writeList(store: FileStore, manifest: string, files: readonly string[]): Promise<string[]> {
  const name = await listName(manifest);
  const before = parse(await store.read(name));
  const isSame = before !== null && JSON.stringify(before.files) === JSON.stringify(files);
  if (isSame && isRecent(before.used, HOUR)) return [];
  const list: BundleList = { manifest, used: Date.now(), files: [...files] };
  await store.write(name, new TextEncoder().encode(JSON.stringify(list)));
  if (isSame && isRecent(before.used, DAY)) return [];
  return removeLists(store, async (each) => {
    if (isRecent(each.used, EVICTION_AGE)) return false;
    return Date.now() - each.used > EXPIRY || (await isGone(each.manifest));
  });
}

/**
 * Makes space for a bundle: deletes the bundle that was opened the longest ago. Returns its manifest, none if
 * there was none to delete.
 */
export function removeOldest(store: FileStore, own: string, limit: number): Promise<string[]> {
  return withListLock(limit, async () => {
    const others = [...(await readLists(store)).values()].filter(({ manifest }) => manifest !== own);
    const [oldest] = others.toSorted((a, b) => a.used - b.used);
    if (oldest === undefined || Date.now() - oldest.used < EVICTION_AGE) return [];
    return removeLists(store, async (list) => list.manifest === oldest.manifest);
  });
}

/** Removes the list of a bundle, and its files that no other bundle has. */
export function removeBundle(store: FileStore, own: string): Promise<string[]> {
  return withListLock(LIMITS.storage, () => removeLists(store, async ({ manifest }) => manifest === own));
}

/**
 * Removes the lists for which `isOld` is true, unreadable lists, and files that are on no list. Returns the
 * manifests of the first.
 */
async function removeLists(
  store: FileStore,
  isOld: (list: BundleList) => Promise<boolean>,
): Promise<string[]> {
  const names = await store.names();
  const lists = await readLists(store);
  const old = await Promise.all([...lists.values()].map(isOld));
  const kept = new Map([...lists].filter((_, index) => old[index] === false));
  const used = new Set([...kept.values()].flatMap(({ files }) => files));
  const unused = names.filter((name) => (name.startsWith(PREFIX) ? !kept.has(name) : !used.has(name)));
  await Promise.all(unused.map((name) => store.remove(name)));
  return [...lists.values()].filter((_, index) => old[index]).map(({ manifest }) => manifest);
}

async function readLists(store: FileStore): Promise<Map<string, BundleList>> {
  const names = (await store.names()).filter((name) => name.startsWith(PREFIX));
  const lists = await Promise.all(names.map(async (name) => [name, parse(await store.read(name))] as const));
  return new Map(lists.flatMap(([name, list]) => (list === null ? [] : [[name, list]])));
}

async function listName(manifest: string): Promise<string> {
  return `${PREFIX}${await sha256(new TextEncoder().encode(manifest))}`;
}

function parse(list: Uint8Array | null): BundleList | null {
  try {
    const { manifest, used, files }: BundleList = JSON.parse(new TextDecoder().decode(list ?? undefined));
    return typeof manifest === "string" && typeof used === "number" && Array.isArray(files)
      ? { manifest, used, files }
      : null;
  } catch {
    return null;
  }
}

/** The time limit of the HEAD request in milliseconds: other files wait to be written. */
const HEAD_LIMIT = 2_000;

/** Whether the server says that the manifest is gone. False if it does not answer. */
async function isGone(manifest: string): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(HEAD_LIMIT);
    const { status } = await fetch(manifest, { method: "HEAD", cache: "no-store", signal });
    return status === 404 || status === 410;
  } catch {
    return false;
  }
}
