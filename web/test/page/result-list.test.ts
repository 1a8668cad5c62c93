import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ResultList, type ResultRow } from "../../page/results/result-list.js";

const rows = (count: number): ResultRow[] =>
  Array.from({ length: count }, (_, at) => ({
    label: `person ${at}`,
    color: null,
    detail: "",
    share: 0.5,
    value: "0.50",
  }));
const items = (): string[] => [...document.querySelectorAll("li")].map(({ textContent }) => textContent);
const buttons = (): HTMLButtonElement[] => [...document.querySelectorAll("button")];

beforeEach(() => {
  document.body.innerHTML =
    '<p><span id="result-count"></span> <span id="result-noun"></span></p><ol id="rows"></ol>';
});
afterEach(() => document.body.replaceChildren());

test("of 1,000 rows the first 300 are listed, with a note about the rest", () => {
  const list = new ResultList(() => {});
  list.show(rows(1000), "people");
  expect(document.body.textContent).toContain("1000 people");
  expect(buttons()).toHaveLength(300);
  expect(items()).toHaveLength(301);
  expect(items().at(-1)).toBe("and 700 more, in the picture and in the copied result");
  list.show(rows(1001), "people");
  expect(items().at(-1)).toMatch(/^and 701 more/);
  list.show(rows(300), "people");
  expect(items()).toHaveLength(300);
  expect(items().at(-1)).toContain("person 299");
});

test("rows that a new result lacks are removed", () => {
  const onPoint = vi.fn();
  const list = new ResultList(onPoint);
  list.show(rows(500), "people");
  buttons()[9]?.click();
  expect([onPoint.mock.lastCall, list.pinned]).toEqual([[9], 9]);
  list.show(rows(5), "people");
  expect([items().length, list.pinned]).toEqual([5, null]);
  list.showNone("Looking");
  expect([items(), document.body.textContent]).toEqual([[], expect.stringContaining("Looking")]);
});
