// The messages between the page and the worker of a tokenizer.

/** The name of a tokenizer worker, by which the script knows its purpose. */
export const TOKENIZER_WORKER = "webbuild-tokenizer";

/** Opens the tokenizer of these bytes, or encodes texts with it. Requests are answered in order. */
export type TokenizerRequest = { open: Uint8Array } | { texts: readonly string[] };

/** The answer: the token ids of each text (none after opening the tokenizer), or why the request failed. */
export type TokenizerAnswer = { ids: number[][] } | { failed: string };
