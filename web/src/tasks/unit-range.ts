// Checks a threshold that a task applies itself.

import { shown, WebbuildError } from "../api/errors.js";

/** Throws "invalid-option" for anything except a number from 0 to 1, also for NaN. */
export function checkUnitRange(option: string, value: unknown): void {
  if (typeof value === "number" && value >= 0 && value <= 1) return;
  const fix = `give a number from 0 to 1, or leave ${option} out for the default`;
  throw new WebbuildError("invalid-option", `${option}: wanted 0 to 1, got ${shown(value)}`, fix);
}
