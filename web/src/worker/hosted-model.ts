// A model that is open in the worker: its manifest, session, pre- and postprocessing, and states.

import type { Backend, Warning } from "../api/types.js";
import type { ReferenceFeeds } from "../inputs/reference-input.js";
import type { Manifest } from "../manifest/manifest.js";
import type { SessionSetup } from "../session/session-setup.js";
import type { StreamStates } from "../session/stream-states.js";

export type HostedModel = Omit<SessionSetup, "info" | "takesFrames" | "takesWrapped"> & {
  manifest: Manifest;
  backend: Backend;
  /** The model's number in the worker. */
  modelId: number;
  states: StreamStates;
  references: ReferenceFeeds;
};

/** What the worker reports to the page about a model. */
export type ModelDescription = Pick<SessionSetup, "info" | "takesFrames" | "takesWrapped"> &
  Pick<HostedModel, "modelId"> & { warnings: Warning[] };
