// When React's options count as changed.

import { describe, expect, test } from "vitest";
import { isSame } from "../../integrations/react/same-options.js";

describe("the options of two renders are the same", () => {
  test.each([
    [undefined, undefined],
    [{ confidence: 0.4 }, { confidence: 0.4, iou: undefined }],
    [{ points: [{ x: 1, y: 2 }] }, { points: [{ x: 1, y: 2 }] }],
    [{ worker: () => 1 }, { worker: () => 2 }],
    [{ confidence: Number.NaN }, { confidence: Number.NaN }],
  ])("%o, %o", (one, other) => expect(isSame(one, other)).toBe(true));

  const picture = new Blob(["a"]);
  test("if they have the same picture", () => {
    expect(isSame({ background: picture }, { background: picture })).toBe(true);
    expect(isSame({ background: picture }, { background: new Blob(["b"]) })).toBe(false);
  });
});

describe("the options of two renders differ", () => {
  test.each([
    [undefined, {}],
    [{ confidence: 0.4 }, { confidence: 0.5 }],
    [{ points: [{ x: 1 }] }, { points: [{ x: 1 }, { x: 2 }] }],
    [{ points: [] }, { points: {} }],
    [{ mask: Uint8Array.of(1) }, { mask: Uint8Array.of(2) }],
    [{ onTile: () => 1 }, {}],
  ])("%o, %o", (one, other) => expect(isSame(one, other)).toBe(false));
});
