// The events of a model after load(): a page does not have to poll.

import type { Warning } from "./errors.js";

/** The events of a model, by name. */
export interface ModelEvents {
  /**
   * `backend`, `reason` or `info()` has changed: the model moved to another backend or precision, its engine
   * was restarted, or the backends were compared.
   */
  change: Event;
  /** `warnings` has a new warning, `event.detail`. */
  warning: CustomEvent<Warning>;
}

/** @internal The model's listener for the events of one stage. */
export interface ModelListener {
  onChange(): void;
  onWarning(warning: Warning): void;
}
