// The type of a glue module's default export, and of its context.

import type { Tensors } from "./tensors.js";

/**
 * The default export of a glue module. It runs in the worker and makes a stage's inputs from outputs of
 * earlier stages. `tensors` are the outputs that it reads, by stage and output name:
 * `tensors.encoder.embedding`.
 */
export type GlueFunction = (
  tensors: Readonly<Record<string, Tensors>>,
  context: GlueContext,
) => Tensors | Promise<Tensors>;

/** What a glue module is given besides tensors: the picture's size and placement, and earlier results. */
export interface GlueContext {
  /**
   * The size of the upright picture; `placed`, its rectangle in the first stage's input, in pixels of the
   * input; and the size of the input.
   */
  picture: {
    width: number;
    height: number;
    placed: { left: number; top: number; width: number; height: number };
    input: { width: number; height: number };
  };
  /**
   * The results of earlier stages, by stage name. They have no order: JavaScript lists numeric names first. A
   * stage of the task `tensor` has no result.
   */
  results: Readonly<Record<string, unknown>>;
}
