// Where files lie between visits: the origin's private file system, else the Cache API. Only for workers.

type Bytes = Uint8Array<ArrayBuffer>;

export interface FileStore {
  read(name: string): Promise<Bytes | null>;
  /** Writes one file of one or more pieces. Throws where the browser gives no more room. */
  write(name: string, ...pieces: Bytes[]): Promise<void>;
  remove(name: string): Promise<void>;
  names(): Promise<string[]>;
}

const NAME = "webbuild";

/** What TypeScript's DOM leaves out, since only workers have it. */
interface WritableHandle {
  createSyncAccessHandle(): Promise<Access>;
}

interface Access {
  truncate(size: number): void;
  write(content: Bytes): number;
  close(): void;
}

/** The file handles of calls under way. */
const inUse = new Set<FileSystemFileHandle>();

/**
 * Chromium (seen in 156) forgets a call under way when the handle it was made on is garbage collected: its promise then
 * never settles. While the caller waits nothing else refers to the handle, so it is kept here.
 */
async function openForWriting(handle: FileSystemFileHandle): Promise<Access> {
  inUse.add(handle);
  try {
    return await (handle as unknown as WritableHandle).createSyncAccessHandle();
  } finally {
    inUse.delete(handle);
  }
}

/** Returns null where the browser keeps nothing: on plain http, and in some private windows. */
export async function openFileStore(): Promise<FileStore | null> {
  for (const open of [openOpfs, openCacheStorage]) {
    const store = await open().catch(() => null);
    if (store !== null) return store;
  }
  return null;
}

async function openOpfs(): Promise<FileStore | null> {
  if (!("createSyncAccessHandle" in FileSystemFileHandle.prototype)) return null;
  const folder = await (await navigator.storage.getDirectory()).getDirectoryHandle(NAME, { create: true });
  const remove = (name: string): Promise<void> => folder.removeEntry(name).catch(() => {});
  return {
    async read(name) {
      const handle = await folder.getFileHandle(name).catch(() => null);
      return handle && new Uint8Array(await (await handle.getFile()).arrayBuffer());
    },
    async write(name, ...pieces) {
      const access = await openForWriting(await folder.getFileHandle(name, { create: true }));
      try {
        access.truncate(0);
        for (const piece of pieces)
          if (access.write(piece) < piece.byteLength)
            throw new DOMException("no room is left", "QuotaExceededError");
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

async function openCacheStorage(): Promise<FileStore> {
  const cache = await caches.open(NAME);
  const url = (name: string): string => new URL(`/${NAME}/${name}`, location.origin).href;
  return {
    async read(name) {
      const cached = await cache.match(url(name));
      return cached === undefined ? null : new Uint8Array(await cached.arrayBuffer());
    },
    write: (name, ...pieces) => cache.put(url(name), new Response(new Blob(pieces))),
    async remove(name) {
      await cache.delete(url(name));
    },
    async names() {
      return (await cache.keys()).map((request) => request.url.slice(request.url.lastIndexOf("/") + 1));
    },
  };
}
