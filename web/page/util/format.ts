// Formats numbers as text.

export function megabytes(bytes: number): string {
  const value = bytes / 1e6;
  return value < 100 ? value.toFixed(1) : value.toFixed(0);
}

export function milliseconds(time: number): string {
  if (time >= 10_000) return `${(time / 1000).toFixed(1)} s`;
  if (time >= 100) return `${time.toFixed(0)} ms`;
  return `${time.toFixed(1)} ms`;
}

/** Formats a number with at most five digits, for tables of tensors. */
export function short(value: number): string {
  if (!Number.isFinite(value) || Number.isInteger(value)) return String(value);
  return Number(value.toPrecision(5)).toString();
}

/** Formats a threshold: two decimals, more if the value needs them. */
export function threshold(value: number): string {
  const text = value.toFixed(2);
  // A default comes from a float32: 0.7 arrives as 0.699999988.
  return Math.abs(Number(text) - value) < 1e-6 ? text : short(value);
}

/** Formats an angle in radians as whole degrees, with a typographic minus. */
export function degrees(angle: number): string {
  const value = Math.round((angle * 180) / Math.PI);
  return `${value < 0 ? "\u2212" : ""}${Math.abs(value)}°`;
}

/** Returns the noun for `count` detections of these classes. A name whose plural is not simply an s more, as in English, has none. */
export function noun(classes: readonly string[], count: number): string {
  if (classes.length !== 1) return count === 1 ? "detection" : "detections";
  const name = classes[0] ?? "detection";
  if (name === "person") return count === 1 ? "person" : "people";
  if (count === 1) return name;
  return /(s|x|z|ch|sh|[^aeiou]y|[^a-z])$/i.test(name) ? "detections" : `${name}s`;
}

/** Formats a probability: 97.3 %. */
export function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

/** Formats the shape of a tensor: 1 × 3 × 48 × 64. */
export function dimensions(dims: readonly number[]): string {
  return dims.join(" × ") || "scalar";
}
