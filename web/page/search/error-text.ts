// Returns an error as text, for the message line of a card.

import { describe } from "../shell/failure-card.js";
import { sentenceCase } from "../util/sentence-case.js";

export function errorText(error: unknown): string {
  const { message, fix } = describe(error);
  return `${sentenceCase(message)} ${sentenceCase(fix)}`;
}
