// Grounding: finds boxes of objects that match the phrases of a prompt.

import { internalError } from "../../api/errors.js";
import type { GroundingResult } from "../../api/types.js";
import type { GroundingTask } from "../../manifest/manifest.js";
import { runInput } from "../../preprocess/image-input.js";
import { planeSize } from "../../preprocess/letterbox.js";
import { readFloats } from "../read-output.js";
import type { FieldsOf, TaskModule } from "../task-module.js";
import { decodeGrounding, type PromptContext } from "./decode-grounding.js";
import { loadTokenizer, type WordPieceTokenizer } from "./load-tokenizer.js";
import { promptOptions } from "./options.js";
import { promptFeeds, tokenizePrompt } from "./prompt.js";

type Tokenizer = WordPieceTokenizer | null;

export const task: TaskModule<GroundingTask, FieldsOf<GroundingResult>, PromptContext, Tokenizer> = {
  kind: "grounding",
  load: loadTokenizer,
  context({ task }, given, tokenizer) {
    if (tokenizer === null) throw internalError("a prompt without a tokenizer");
    const options = promptOptions(task, given);
    return { options, tokenizer, prompt: tokenizePrompt(options.caption, tokenizer, task) };
  },
  warmUpOptions: ({ prompts }) => ({ prompt: prompts[0] }),
  feeds: ({ inputs, task }, { prompt }) => promptFeeds(inputs, task, prompt),
  neededOutputs: ({ task: { output, boxes } }) => [output, boxes],
  decode({ task, inputs, outputs: specs }, outputs, geometry, context) {
    const dims = specs.find(({ name }) => name === task.output)?.shape ?? [];
    const logits = readFloats(outputs, task.output, dims);
    const boxes = readFloats(outputs, task.boxes, [1, task.queries, 4]);
    const queries = { logits, boxes, queries: task.queries, input: planeSize(runInput(inputs).image) };
    const detections = decodeGrounding(geometry, queries, context);
    return { kind: "grounding", ...geometry.source, detections, phrases: context.prompt.phrases };
  },
};
