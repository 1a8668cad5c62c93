// A failure in words, for the line of a card that says what goes on.

import { describe } from "../shell/failure-card.js";
import { sentenceCase } from "../util/sentence-case.js";

export function errorText(error: unknown): string {
  const { message, fix } = describe(error);
  return `${sentenceCase(message)} ${sentenceCase(fix)}`;
}
