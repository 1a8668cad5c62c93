// The type of the function that passes warnings to the model.

import type { Warning } from "./types.js";

/** Receives a warning: a failure that does not stop a load or a run. */
export type Warn = (warning: Warning) => void;
