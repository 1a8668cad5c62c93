// What happens to a model after load(): nobody has to poll for it.

import type { Warning } from "./errors.js";

/** The events of a model, by name. */
export interface ModelEvents {
  /**
   * `backend`, `reason` or `info()` have changed: the model went to another backend or precision, its engine was started
   * again, or the backends were compared.
   */
  change: Event;
  /** There is another warning in `warnings`: `event.detail`. */
  warning: CustomEvent<Warning>;
}

/** @internal The model's listener for the events of one stage. */
export interface ModelListener {
  onChange(): void;
  onWarning(warning: Warning): void;
}
