// The embedding of a picture: a vector, a token, or the mean of all tokens, normalized to length 1.

import type { EmbedResult, Tensors } from "../../api/types.js";
import type { EmbedTask, Manifest } from "../../manifest/manifest.js";
import { exceeded, largestDifference, type Tolerance } from "../../self-test/tolerance.js";
import type { Downloads } from "../../storage/download.js";
import { textFeeds } from "../../text/text-feeds.js";
import type { TokenizerFiles } from "../../text/text-tokenizer.js";
import { readFloats } from "../read-output.js";
import type { FieldsOf, TaskModule } from "../task-module.js";
import { dotProduct, unitVector } from "../unit-vector.js";

export const task: TaskModule<EmbedTask, FieldsOf<EmbedResult>, null, TokenizerFiles | null> = {
  kind: "embed",
  load: loadTokenizer,
  feeds: ({ inputs, task }) => warmUpText(inputs, task),
  neededOutputs: ({ task: { output } }) => [output],
  decode({ task }, outputs, { source }) {
    const { output, size, tokens, pooling } = task;
    const vector = outputs[output]?.dims.length === 4 ? [1, size, 1, 1] : [1, size];
    const values = readFloats(outputs, output, pooling === "none" ? vector : [1, tokens, size]);
    return { kind: "embed", ...source, embedding: pooled(task, values) };
  },
  transfer: ({ embedding }) => ({ arrays: [embedding] }),
  difference,
};

/** Fetches the files of a text encoder's tokenizer, which runs in its own worker; else null. */
async function loadTokenizer({ textInput }: EmbedTask, downloads: Downloads): Promise<TokenizerFiles | null> {
  if (textInput === undefined) return null;
  const module = downloads.runtimePath("runtime/tokenizer.js");
  const [content] = await Promise.all([
    downloads.get(textInput.tokenizer),
    downloads.checkScript(module, () => {}),
  ]);
  return { script: downloads.url(module), content };
}

/** Returns a text of one token, for the warm-up run. */
function warmUpText(inputs: Manifest["inputs"], { textInput }: EmbedTask): Tensors {
  return textInput === undefined ? {} : textFeeds(inputs, textInput, "", [textInput.padding]);
}

/** Pools `values` [tokens, size] into one vector. */
function pooled({ size, tokens, pooling }: EmbedTask, values: Float32Array): Float32Array<ArrayBuffer> {
  if (pooling !== "mean") return unitVector(values.subarray(0, size));
  const sums = new Float64Array(size);
  for (const [at, value] of values.entries()) sums[at % size] = (sums[at % size] ?? 0) + value;
  return unitVector(sums.map((sum) => sum / tokens));
}

/** Compares the vectors of each picture by their cosine. */
function difference(
  task: EmbedTask,
  name: string,
  want: Float32Array,
  got: Float32Array,
  tolerance: Tolerance,
): string | null {
  if (name !== task.output) return largestDifference(want, got, tolerance);
  const step = task.size * task.tokens;
  for (let at = 0; at < want.length; at += step) {
    const sides = [want, got].map((values) => pooled(task, values.subarray(at, at + step)));
    const [one = [], other = []] = sides;
    const apart =
      dotProduct(one, one) === 0 ? Math.sqrt(dotProduct(other, other)) : 1 - dotProduct(one, other);
    if (!(apart <= tolerance.cosine)) return exceeded(apart, tolerance.cosine);
  }
  return null;
}
