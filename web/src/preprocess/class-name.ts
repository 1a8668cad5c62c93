// The class of a value, whichever realm made it: an <img> of an iframe or a popup is no instance of this page's classes.

/** Returns the name of the class of the web platform that an object is of, such as "HTMLImageElement" or "Uint8Array". */
export function classNameOf(value: unknown): string {
  return Object.prototype.toString.call(value).slice("[object ".length, -1);
}

/** A File is a Blob with a name. */
export function isBlob(value: unknown): value is Blob {
  return ["Blob", "File"].includes(classNameOf(value));
}
