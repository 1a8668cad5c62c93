import { expect, test } from "vitest";
import { ReceivedBytes } from "../../src/storage/received-bytes.js";

test.each([
  ["as many bytes as expected", 5],
  ["more, as of a host that decompresses", 2],
  ["fewer, as of another file", 9],
  ["none expected", 0],
])("%s equal the received bytes", (_, size) => {
  const received = new ReceivedBytes(size, "weights.bin");
  for (const chunk of [[1, 2], [3], [4, 5]]) received.push(Uint8Array.from(chunk));
  expect([...received.content()]).toEqual([1, 2, 3, 4, 5]);
});
