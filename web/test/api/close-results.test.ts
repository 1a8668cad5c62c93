import { expect, test } from "vitest";
import { closedIfDropped } from "../../src/api/close-results.js";

async function results() {
  return [{ kind: "image", width: 4, picture: await createImageBitmap(new ImageData(4, 3)) }];
}

test("images of results that arrive after the abort are closed", async () => {
  const late = await results();
  expect(closedIfDropped(late, AbortSignal.abort())).toBe(late);
  expect(late.map(({ picture }) => picture.width)).toEqual([0]);
});

test.each([undefined, new AbortController().signal])(
  "images of results in time stay open for the caller",
  async (signal) => {
    const got = closedIfDropped(await results(), signal);
    expect(got.map(({ picture }) => picture.width)).toEqual([4]);
  },
);
