// Class checks that work across realms: an <img> of an iframe or a popup is not `instanceof` this page's
// HTMLImageElement.

/** Returns the name of a value's platform class, such as "HTMLImageElement" or "Uint8Array". */
export function classNameOf(value: unknown): string {
  return Object.prototype.toString.call(value).slice("[object ".length, -1);
}

/** Whether a value is a Blob. A File is a Blob with a name. */
export function isBlob(value: unknown): value is Blob {
  return ["Blob", "File"].includes(classNameOf(value));
}
