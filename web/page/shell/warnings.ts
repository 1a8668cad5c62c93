// What the visitor should know although the page works: each warning with its code and its fix.

import type { Warning } from "../../src/index.js";
import { element, make } from "../util/elements.js";
import { sentenceCase } from "../util/sentence-case.js";

export function showWarnings(warnings: readonly Warning[]): void {
  const list = element("warnings", HTMLElement);
  const different = new Map(warnings.map((warning) => [`${warning.code} ${warning.message}`, warning]));
  const key = [...different.keys()].join("\n");
  // A camera shows the same warnings thirty times a second.
  if (list.getAttribute("data-key") === key) return;
  list.setAttribute("data-key", key);
  list.replaceChildren(...[...different.values()].map(item));
  list.hidden = different.size === 0;
  document.body.classList.toggle("warned", different.size > 0);
}

function item({ code, message, fix }: Warning): HTMLElement {
  const row = make("li");
  row.append(make("p", "", sentenceCase(message)));
  if (fix) row.append(make("p", "fix", sentenceCase(fix)));
  row.append(make("code", "", code));
  return row;
}
