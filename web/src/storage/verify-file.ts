// Checks a downloaded file against the manifest: its size and hash, as stored or decompressed by the host.

import { corruptFile, WebbuildError } from "../api/errors.js";
import type { File } from "../manifest/manifest.js";
import { isEncoded } from "./decompress.js";
import { sha256 } from "./sha256.js";

type Bytes = Uint8Array<ArrayBuffer>;

/** Returns whether the host has decompressed the file. Throws `corrupt-file` if neither hash matches. */
export async function verifyFile(file: File, content: Bytes): Promise<boolean> {
  const { encoding, size, sha256: hash, uncompressedSize, uncompressedSha256, path } = file;
  const wrong = await difference(content, size, hash);
  if (wrong === null) return false;
  if (encoding === "identity" || isEncoded(file, content)) throw corruptFile(path, wrong);
  if (uncompressedSha256 === undefined && content.byteLength === uncompressedSize) throw uncheckable(path);
  const wrongContent = await difference(content, uncompressedSize, uncompressedSha256);
  if (wrongContent === null) return true;
  throw corruptFile(path, `neither as stored, ${wrong}, nor decompressed by the host, ${wrongContent}`);
}

/** Returns the error for a manifest of an older webbuild, without a hash of the decompressed content. */
function uncheckable(path: string): WebbuildError {
  const message = `the host sent ${path} decompressed, and the manifest has no hash of the decompressed file`;
  const fix =
    "pack the model again with this version of webbuild, or have the host send the file as it is stored";
  return new WebbuildError("corrupt-file", message, fix);
}

/** Returns how the content differs from the manifest, null if it does not. */
async function difference(content: Bytes, size: number, hash: string | undefined): Promise<string | null> {
  if (content.byteLength !== size) return `${content.byteLength} bytes, wanted ${size}`;
  // Pages that are neither https nor localhost have no WebCrypto, so only the size can be checked.
  if (!isSecureContext) return null;
  const got = await sha256(content);
  return got === hash ? null : `sha256 ${got}, wanted ${hash}`;
}
