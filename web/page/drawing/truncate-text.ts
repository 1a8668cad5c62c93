// Shortens a text that is too wide, with an ellipsis.

type CanvasText = Pick<CanvasRenderingContext2D, "measureText">;

/** Returns as much of the text as fits into `room`, in the units of the context's font. */
export function truncateText(context: CanvasText, text: string, room: number): string {
  if (context.measureText(text).width <= room) return text;
  let length = Math.min(text.length, 200);
  while (length > 1 && context.measureText(`${text.slice(0, length)}…`).width > room) length -= 1;
  return `${text.slice(0, length)}…`;
}
