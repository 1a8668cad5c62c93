// The files of bundles that this browser keeps, each under the hash of its content, whatever bundle it came with.

import type { Warning } from "./api.js";
import { sha256 } from "./hash.js";
import type { File } from "./manifest.js";
import { openShelf, type Shelf } from "./shelf.js";

type Bytes = Uint8Array<ArrayBuffer>;

/** A list of hashes for each bundle: what is on none of them is thrown away. */
const LIST = "bundle-";

export class KeptFiles {
  readonly #shelf: Shelf | null;
  #refused: Warning | null = null;

  private constructor(shelf: Shelf | null) {
    this.#shelf = shelf;
  }

  /** Opens what is kept for the bundle of a manifest, and throws away what no bundle has any more. */
  static async open(base: string, files: readonly File[]): Promise<KeptFiles> {
    const shelf = isSecureContext ? await openShelf() : null;
    const kept = new KeptFiles(shelf);
    if (shelf !== null) await sweep(shelf, base, files).catch((error: unknown) => kept.#refuse(error));
    return kept;
  }

  /** Keeps nothing. */
  static none(): KeptFiles {
    return new KeptFiles(null);
  }

  /** What did not go as it should. */
  get warnings(): Warning[] {
    return this.#refused === null ? [] : [this.#refused];
  }

  /** Returns the file as it is stored in the bundle; null where it is not kept, or not whole. */
  async get({ sha256: wanted, size }: File): Promise<Bytes | null> {
    const content = (await this.#shelf?.read(wanted).catch(() => null)) ?? null;
    if (content === null) return null;
    if (content.byteLength === size && (await sha256(content)) === wanted) return content;
    await this.#shelf?.remove(wanted);
    return null;
  }

  /** Keeps a file whose hash was checked. Where there is no room, nothing more is kept. */
  async keep({ sha256: name }: File, content: Bytes): Promise<void> {
    if (this.#refused !== null) return;
    await this.#shelf?.write(name, content).catch((error: unknown) => this.#refuse(error));
  }

  /** Another tab that writes the same file has it locked: what it writes is as good. */
  #refuse(error: unknown): void {
    if (error instanceof DOMException && error.name === "NoModificationAllowedError") return;
    const why = error instanceof Error ? error.message : String(error);
    const message = `the browser does not keep the model for the next visit: ${why}`;
    this.#refused = {
      code: "not-kept",
      message,
      fix: "free space on this device; the model runs all the same",
    };
  }
}

async function sweep(shelf: Shelf, base: string, files: readonly File[]): Promise<void> {
  const own = `${LIST}${await sha256(new TextEncoder().encode(base))}`;
  const list = new TextEncoder().encode(JSON.stringify(files.map((file) => file.sha256)));
  const before = await shelf.read(own);
  if (before !== null && (await sha256(before)) === (await sha256(list))) return;
  await shelf.write(own, list);
  const names = await shelf.names();
  const lists = await Promise.all(
    names.filter((name) => name.startsWith(LIST)).map((name) => shelf.read(name)),
  );
  const used = new Set(lists.flatMap((each) => hashes(each)));
  const unused = names.filter((name) => !name.startsWith(LIST) && !used.has(name));
  await Promise.all(unused.map((name) => shelf.remove(name)));
}

function hashes(list: Bytes | null): string[] {
  try {
    return JSON.parse(new TextDecoder().decode(list ?? new Uint8Array())) as string[];
  } catch {
    return [];
  }
}
