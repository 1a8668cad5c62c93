// Whether the options of two renders are the same.

/**
 * Whether two options objects ask for the same: numbers, texts, lists and plain objects are compared by value, pictures
 * and arrays of numbers by identity. A function written in a component is another one in each render, so all functions
 * are the same.
 */
export function isSame(one: unknown, other: unknown): boolean {
  if (Object.is(one, other) || (typeof one === "function" && typeof other === "function")) return true;
  if (!isPlain(one) || !isPlain(other)) return false;
  const keys = new Set([...Object.keys(one), ...Object.keys(other)]);
  return (
    Array.isArray(one) === Array.isArray(other) && [...keys].every((key) => isSame(one[key], other[key]))
  );
}

function isPlain(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return Array.isArray(value) || prototype === Object.prototype || prototype === null;
}
