import { expect, test } from "vitest";
import type { TextLine, TextResult } from "../../src/api/types.js";
import { toHocr } from "../../src/export/hocr.js";

function page(...lines: TextLine[]): TextResult {
  return { kind: "text", width: 200, height: 100, text: "", lines } as unknown as TextResult;
}

const LEVEL: TextLine = {
  text: 'a <b & "c">',
  score: 0.9,
  polygon: [
    [10, 20],
    [110, 20],
    [110, 40],
    [10, 40],
  ],
  box: { x1: 10, y1: 20, x2: 110, y2: 40 },
  words: [
    { text: "a", score: 0.994, from: 0, to: 20.5 },
    { text: '<b & "c">\u0007', score: 0.5, from: 30, to: 100 },
  ],
};

test("a page has its lines and words, with boxes and confidences", () => {
  const spans = [
    ...new DOMParser().parseFromString(toHocr(page(LEVEL)), "text/html").querySelectorAll("span"),
  ];
  expect(spans.map(({ className, id, title }) => [className, id, title])).toEqual([
    ["ocr_line", "line_1", "bbox 10 20 110 40; poly 10 20 110 20 110 40 10 40"],
    ["ocrx_word", "word_1_1", "bbox 10 20 31 40; x_wconf 99"],
    ["ocrx_word", "word_1_2", "bbox 40 20 110 40; x_wconf 50"],
  ]);
});

test("text is escaped", () => {
  const html = toHocr(page(LEVEL));
  expect(html).toContain("&lt;b &amp; &quot;c&quot;&gt;</span>");
  const parsed = new DOMParser().parseFromString(html, "text/html");
  expect(parsed.querySelector("b")).toBeNull();
  expect(parsed.querySelector("#line_1")?.textContent).toBe('a <b & "c">');
  expect(parsed.querySelector(".ocr_page")?.getAttribute("title")).toBe("bbox 0 0 200 100");
});

test("a page is well-formed XML, as OCRmyPDF parses it", () => {
  const parsed = new DOMParser().parseFromString(toHocr(page(LEVEL)), "application/xhtml+xml");
  expect(parsed.querySelector("parsererror")?.textContent).toBeUndefined();
  expect(parsed.querySelector("div.ocr_page #word_1_2")?.textContent).toBe('<b & "c">');
});

test("words of a vertical line follow its second side", () => {
  const down: TextLine = {
    ...LEVEL,
    polygon: [
      [10, 20],
      [20, 20],
      [20, 80],
      [10, 80],
    ],
    box: { x1: 10, y1: 20, x2: 20, y2: 80 },
    words: [{ text: "x", score: 1, from: 15, to: 30 }],
  };
  expect(toHocr(page(down))).toContain("bbox 10 35 20 50; x_wconf 100");
});
