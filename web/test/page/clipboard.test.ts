// The copy buttons, also on pages without a secure connection, which have no clipboard.

import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { copyButton, copyText } from "../../page/shell/clipboard.js";

beforeEach(() => {
  document.body.innerHTML = `<button id="copy"><svg><use id="copy-icon" href="#icon-copy"/></svg><span id="copy-text">Copy</span></button>`;
});

afterEach(() => {
  Reflect.deleteProperty(navigator, "clipboard");
});

function withClipboard(clipboard: object | undefined): void {
  Object.defineProperty(navigator, "clipboard", { value: clipboard, configurable: true });
}

test("a copied text is confirmed on the button", async () => {
  const writeText = vi.fn(async () => {});
  withClipboard({ writeText });
  expect(await copyText("words", copyButton("copy"), "Saved")).toBe(true);
  expect(writeText).toHaveBeenCalledWith("words");
  expect(document.getElementById("copy-text")?.textContent).toBe("Copied");
  expect(document.getElementById("copy-icon")?.getAttribute("href")).toBe("#icon-check");
});

test.each([
  ["a clipboard that refuses", { writeText: () => Promise.reject(new Error("denied")) }],
  ["a page without a clipboard", undefined],
])("%s: the button says what happened instead", async (_name, clipboard) => {
  withClipboard(clipboard);
  expect(await copyText("words", copyButton("copy"), "Saved")).toBe(false);
  expect(document.getElementById("copy-text")?.textContent).toBe("Saved");
});
