// Copies of the plain data that a caller gives.

import { expect, it } from "vitest";
import { plainCopy } from "../../src/api/plain-copy.js";

it.each([[new Float32Array()], [new BigInt64Array()], [new Int32Array(2)]])(
  "keeps the type of %o",
  (array) => {
    const copy = plainCopy({ state: { data: array } });
    expect(copy).toEqual({ state: { data: array } });
    expect(copy.state.data).toBeInstanceOf(array.constructor);
    expect(copy.state.data).not.toBe(array);
  },
);

it("gives an empty array for one whose buffer was transferred", () => {
  const array = new Float32Array(3);
  structuredClone(array, { transfer: [array.buffer] });
  expect(plainCopy(array)).toEqual(new Float32Array());
});

it("keeps what is no array or plain object", () => {
  const view = new DataView(new ArrayBuffer(4));
  expect(plainCopy({ view }).view).toBe(view);
});
