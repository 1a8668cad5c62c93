// Places and draws the label of a detection: inside the stage, and over no other label.

import type { Detection } from "../../src/index.js";
import type { DetailedDetection } from "../results/detections.js";
import { defaultColor } from "./drawing-style.js";
import type { Rectangle, Size } from "./fit.js";
import { truncateText } from "./truncate-text.js";

const family = '-apple-system, "Segoe UI", Roboto, "Noto Sans", Arial, sans-serif';
const gap = 3;
const edge = 2;

export interface Label extends Rectangle {
  text: string;
  padding: number;
  font: string;
  /** The colours of the background and of the text. */
  background: string;
  textColor: string;
}

interface LabelContext {
  stage: Size;
  /** Null if the classes have no colours. */
  color: string | null;
  highlighted: boolean;
}

/**
 * Returns the label with the longest text that fits above the box: label and score, label and track id, or mark and label;
 * then the shorter forms. Null if none fits, unless the detection is highlighted.
 */
export function placeLabel(
  context: CanvasRenderingContext2D,
  { label, score, mark, track }: Detection & Pick<DetailedDetection, "mark">,
  box: Rectangle,
  { stage, color, highlighted }: LabelContext,
): Label | null {
  const small = !highlighted && box.width < 90;
  const padding = small ? 4 : 6;
  const height = small ? 16 : 20;
  const font = `600 ${small ? 11 : 12}px ${family}`;
  context.font = font;
  const widthOf = (text: string) => context.measureText(text).width + 2 * padding;
  const number = Number.isNaN(score) ? "" : score.toFixed(2);
  const short = color === null ? [number] : [label];
  const narrowTexts = track === undefined ? short : [label, `${track}`];
  const textsByWidth = [number ? `${label}  ${number}` : label, ...narrowTexts];
  const texts = mark === undefined ? textsByWidth : [`${mark}  ${label}`, mark];
  const fits = highlighted ? texts[0] : texts.find((candidate) => widthOf(candidate) <= box.width);
  if (fits === undefined) return null;
  const text = truncateText(context, fits, stage.width - 2 * (edge + padding));
  const width = widthOf(text);
  const x = Math.max(edge, Math.min(box.x, stage.width - width - edge));
  const above = box.y - height - gap;
  const y = above >= edge ? above : Math.max(edge, box.y + gap + 1);
  return { x, y, width, height, text, padding, font, ...colors(color, highlighted) };
}

function colors(color: string | null, highlighted: boolean): Pick<Label, "background" | "textColor"> {
  if (color === null && !highlighted) return { background: "rgb(8 10 14 / 0.8)", textColor: defaultColor };
  return { background: color ?? defaultColor, textColor: "#0b0d10" };
}

export function drawLabel(context: CanvasRenderingContext2D, label: Label): void {
  context.beginPath();
  context.roundRect(label.x, label.y, label.width, label.height, 5);
  context.fillStyle = label.background;
  context.fill();
  context.font = label.font;
  context.fillStyle = label.textColor;
  context.textBaseline = "middle";
  context.fillText(label.text, label.x + label.padding, label.y + label.height / 2 + 0.5);
}

export function overlaps(a: Rectangle, b: Rectangle): boolean {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}
