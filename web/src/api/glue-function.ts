// What a glue module exports, and what it is told.

import type { Tensors } from "./tensors.js";

/**
 * The default export of a glue module, which makes inputs of a stage from outputs of earlier ones, in the worker. `tensors`
 * are those that it reads, by the stage's name and the output's: `tensors.encoder.embedding`.
 */
export type GlueFunction = (
  tensors: Readonly<Record<string, Tensors>>,
  context: GlueContext,
) => Tensors | Promise<Tensors>;

/** What a glue module may know of the picture that was looked at. */
export interface GlueContext {
  /**
   * The size of the upright picture; where it lies in the first stage's input, in pixels of that; and the size of the
   * input.
   */
  picture: {
    width: number;
    height: number;
    placed: { left: number; top: number; width: number; height: number };
    input: { width: number; height: number };
  };
  /**
   * The results of earlier stages, by the stages' names; in no order, since JavaScript lists names that are numbers first. A
   * stage of the task `tensor` has none.
   */
  results: Readonly<Record<string, unknown>>;
}
