// Where files are stored between visits: the origin private file system, else the Cache API. Only for workers.

type Bytes = Uint8Array<ArrayBuffer>;

export interface FileStore {
  read(name: string): Promise<Bytes | null>;
  /** Writes a file of one or more pieces. Throws if the browser has no more space. */
  write(name: string, ...pieces: Bytes[]): Promise<void>;
  remove(name: string): Promise<void>;
  names(): Promise<string[]>;
}

/** The name of the folder in the file system, and of the cache in Cache Storage. */
const NAME = "webbuild";
/** The cache of the engines that a service worker serves. It has its own lists of bundles. */
const ENGINES = "webbuild-engines";

/** Returns the URL of a file in Cache Storage. No host has a file of such a name, but may have others in the folder. */
export function cachedAddress(name: string): string {
  return new URL(`/${NAME}/${name}`, globalThis.origin).href;
}

/** Returns the engine stored at a URL in Cache Storage. */
export function cachedAt(address: string): Promise<Response | undefined> {
  return caches.match(address, { cacheName: ENGINES });
}

/** Missing in TypeScript's DOM library, since only workers have it. */
interface WritableHandle {
  createSyncAccessHandle(): Promise<Access>;
}

interface Access {
  truncate(size: number): void;
  write(content: Bytes): number;
  close(): void;
}

/** The file handles of pending calls. */
const inUse = new Set<FileSystemFileHandle>();

/**
 * Chromium (seen in 156) drops a pending call if its handle is garbage collected: the promise then never
 * settles. While the caller waits, only this set refers to the handle.
 */
async function openForWriting(handle: FileSystemFileHandle): Promise<Access> {
  inUse.add(handle);
  try {
    return await (handle as unknown as WritableHandle).createSyncAccessHandle();
  } finally {
    inUse.delete(handle);
  }
}

/** Returns null if the browser has no storage: on plain http, and in some private windows. */
export async function openFileStore(): Promise<FileStore | null> {
  for (const open of [openOpfs, () => openCacheStorage(NAME)]) {
    const store = await open().catch(() => null);
    if (store !== null) return store;
  }
  return null;
}

/** Returns the stores that exist, to read and remove files; creates none. This also works on a page. */
export async function existingStores(): Promise<FileStore[]> {
  const folder = await openFolder(false).catch(() => null);
  const stores = folder === null ? [] : [fileSystemStore(folder)];
  for (const name of [NAME, ENGINES])
    if ((await existingCache(name)) !== null) stores.push(await openCacheStorage(name));
  return stores;
}

/** Returns a cache; null if there is none, or the page may not store anything: on plain http, or sandboxed. */
export async function existingCache(name: string): Promise<Cache | null> {
  try {
    return (await caches.has(name)) ? await caches.open(name) : null;
  } catch {
    return null;
  }
}

async function openFolder(create: boolean): Promise<FileSystemDirectoryHandle> {
  return (await navigator.storage.getDirectory()).getDirectoryHandle(NAME, { create });
}

async function openOpfs(): Promise<FileStore | null> {
  if (!("createSyncAccessHandle" in FileSystemFileHandle.prototype)) return null;
  return fileSystemStore(await openFolder(true));
}

function fileSystemStore(folder: FileSystemDirectoryHandle): FileStore {
  const remove = (name: string): Promise<void> => folder.removeEntry(name).catch(() => {});
  return {
    async read(name) {
      const handle = await folder.getFileHandle(name).catch(() => null);
      return handle && new Uint8Array(await (await handle.getFile()).arrayBuffer());
    },
    async write(name, ...pieces) {
      // The browser or the visitor may have deleted the folder since it was opened.
      const handle = await (await openFolder(true)).getFileHandle(name, { create: true });
      const access = await openForWriting(handle);
      try {
        access.truncate(0);
        for (const piece of pieces)
          if (access.write(piece) < piece.byteLength)
            throw new DOMException("no space is left", "QuotaExceededError");
      } catch (error) {
        access.close();
        await remove(name);
        throw error;
      }
      access.close();
    },
    remove,
    async names() {
      const names: string[] = [];
      for await (const name of folder.keys()) names.push(name);
      return names;
    },
  };
}

/** Opens the store of the engines that a service worker serves. */
export function openEngineStore(): Promise<FileStore> {
  return openCacheStorage(ENGINES, "application/wasm");
}

async function openCacheStorage(cacheName: string, type = ""): Promise<FileStore> {
  const cache = await caches.open(cacheName);
  return {
    async read(name) {
      const cached = await cache.match(cachedAddress(name));
      return cached === undefined ? null : new Uint8Array(await cached.arrayBuffer());
    },
    write: (name, ...pieces) => cache.put(cachedAddress(name), new Response(new Blob(pieces, { type }))),
    async remove(name) {
      await cache.delete(cachedAddress(name));
    },
    async names() {
      return (await cache.keys()).map((request) => request.url.slice(request.url.lastIndexOf("/") + 1));
    },
  };
}
