// Writes text results as hOCR, which tesseract, OCRmyPDF and others read.

import type { Box, TextLine, TextResult, TextWord } from "../api/types.js";
import { lineSides } from "../preprocess/crop/place-crop.js";

/**
 * Returns a TextResult as a page of hOCR 1.2, which is also well-formed XML: `ocr_line` with its polygon,
 * `ocrx_word` with a confidence of 0 to 100.
 */
export function toHocr({ width, height, lines }: TextResult): string {
  return `<!DOCTYPE html>
<html xmlns="http://www.w3.org/1999/xhtml">
<head>
<meta charset="utf-8"/>
<title></title>
<meta name="ocr-system" content="webbuild"/>
<meta name="ocr-capabilities" content="ocr_page ocr_line ocrx_word"/>
</head>
<body>
<div class="ocr_page" id="page_1" title="bbox 0 0 ${width} ${height}">
${lines.map(lineElement).join("\n")}
</div>
</body>
</html>
`;
}

function lineElement(line: TextLine, index: number): string {
  const id = index + 1;
  const polygon = line.polygon.flat().map(Math.round).join(" ");
  const words = line.words.map((word, at) => wordElement(line, word, `word_${id}_${at + 1}`));
  return `<span class="ocr_line" id="line_${id}" title="${bbox(line.box)}; poly ${polygon}">${words.join(" ")}</span>`;
}

function wordElement(line: TextLine, word: TextWord, id: string): string {
  const title = `${bbox(wordBox(line, word))}; x_wconf ${Math.round(100 * word.score)}`;
  return `<span class="ocrx_word" id="${id}" title="${title}">${escaped(word.text)}</span>`;
}

/** The upright box around a part of a line. */
function wordBox(line: TextLine, { from, to }: TextWord): Box {
  const [first, second, last] = lineSides(line);
  const length = Math.hypot(second[0] - first[0], second[1] - first[1]) || 1;
  const along = [(second[0] - first[0]) / length, (second[1] - first[1]) / length] as const;
  const down = [last[0] - first[0], last[1] - first[1]] as const;
  const places = [from, to].flatMap((at) => [0, 1].map((part) => [at, part] as const));
  const xs = places.map(([at, part]) => first[0] + at * along[0] + part * down[0]);
  const ys = places.map(([at, part]) => first[1] + at * along[1] + part * down[1]);
  return { x1: Math.min(...xs), y1: Math.min(...ys), x2: Math.max(...xs), y2: Math.max(...ys) };
}

function bbox({ x1, y1, x2, y2 }: Box): string {
  return `bbox ${Math.floor(x1)} ${Math.floor(y1)} ${Math.ceil(x2)} ${Math.ceil(y2)}`;
}

const ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** Escapes HTML, and removes control characters. */
function escaped(text: string): string {
  return text.replace(/\p{Cc}/gu, "").replace(/[&<>"]/g, (sign) => ENTITIES[sign] ?? "");
}
