// Frees the memory of downloaded bytes.

/** Frees the memory at once: while the engine creates a session, no garbage is collected. */
export function freeBytes({ buffer }: Uint8Array<ArrayBuffer>): void {
  const { transfer } = buffer as ArrayBuffer & { transfer?: (size: number) => ArrayBuffer };
  transfer?.call(buffer, 0);
}
