// What the page and the worker of a tokenizer say to each other.

/** The name of such a worker, by which the script knows that it is one. */
export const TOKENIZER_WORKER = "webbuild-tokenizer";

/** Opens the tokenizer of these bytes, or encodes texts with it. Answered in order. */
export type TokenizerRequest = { open: Uint8Array } | { texts: readonly string[] };

/** What came of a request: the numbers of each text's tokens, none of one that opened the tokenizer; or why it failed. */
export type TokenizerAnswer = { ids: number[][] } | { failed: string };
