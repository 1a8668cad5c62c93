// Memory of downloaded bytes.

/** Gives it back at once, not when garbage is collected: nothing is, while the engine makes a session. */
export function freeBytes({ buffer }: Uint8Array<ArrayBuffer>): void {
  const { transfer } = buffer as ArrayBuffer & { transfer?: (size: number) => ArrayBuffer };
  transfer?.call(buffer, 0);
}
