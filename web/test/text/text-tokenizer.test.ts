import { expect, test } from "vitest";
import { TextTokenizer } from "../../src/text/text-tokenizer.js";

/** A tokenizer whose worker opens any file, then runs this with the texts; and the number of file requests. */
function tokenizer(answer: string, limit = 10_000): { reader: TextTokenizer; opened: () => number } {
  const code = `onmessage = ({ data: { open, texts } }) => { if (open) postMessage({ ids: [] }); else { ${answer} } };`;
  let opened = 0;
  const fetch = async () => {
    opened += 1;
    const script = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
    return { script, content: new Uint8Array(2) };
  };
  return { reader: new TextTokenizer("tokenizer.json", fetch, limit), opened: () => opened };
}

test("texts become token ids, in one worker", async () => {
  const { reader, opened } = tokenizer("postMessage({ ids: texts.map((text) => [text.length]) });");
  expect(await Promise.all([reader.encode(["a", "bcd"]), reader.encode([""])])).toEqual([[[1], [3]], [[0]]]);
  expect(opened()).toBe(1);
});

test("a tokenizer that does not end is stopped, and the next text gets a new one", async () => {
  const { reader, opened } = tokenizer(
    'if (texts[0] === "aaa!") for (;;); else postMessage({ ids: [[7]] });',
    500,
  );
  await expect(reader.encode(["aaa!"])).rejects.toMatchObject({ code: "tokenizer-timeout" });
  expect(await reader.encode(["b"])).toEqual([[7]]);
  expect(opened()).toBe(2);
});

test.each([
  ['postMessage({ failed: "no piece" });', /no piece/],
  ["postMessage({ ids: [[undefined]] });", /a token has no id/],
])("a tokenizer that fails is a corrupt file: %s", async (answer, message) => {
  const { reader } = tokenizer(answer);
  await expect(reader.encode(["a"])).rejects.toMatchObject({
    code: "corrupt-file",
    message: expect.stringMatching(message),
  });
});

test("a script that does not start is a typed error", async () => {
  const { reader } = tokenizer("this is no script");
  await expect(reader.encode(["a"])).rejects.toMatchObject({ code: "worker-failed" });
});

test("an aborted text is not tokenized", async () => {
  const { reader, opened } = tokenizer("postMessage({ ids: [[1]] });");
  await expect(reader.encode(["a"], AbortSignal.abort())).rejects.toMatchObject({ code: "aborted" });
  expect(opened()).toBe(0);
});
