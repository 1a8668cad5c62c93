// Draws a picture over a checkerboard, which shows transparency.

/** Squares along the longer side of a picture, and their two greys. */
const SQUARES = 48;
const BRIGHT = "#e6e8eb";
const DARK = "#c3c7cd";

/** Returns the picture over a checkerboard; the caller still has to close its own picture. */
export function onCheckerboard(picture: ImageBitmap): ImageBitmap {
  const { width, height } = picture;
  const canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext("2d");
  if (context === null) throw new Error("the browser gives no 2D canvas");
  const side = Math.max(1, Math.round(Math.max(width, height) / SQUARES));
  context.fillStyle = BRIGHT;
  context.fillRect(0, 0, width, height);
  context.fillStyle = tile(context, side) ?? BRIGHT;
  context.fillRect(0, 0, width, height);
  context.drawImage(picture, 0, 0);
  return canvas.transferToImageBitmap();
}

/** Returns a pattern of two by two squares. */
function tile(context: OffscreenCanvasRenderingContext2D, side: number): CanvasPattern | null {
  const two = new OffscreenCanvas(2 * side, 2 * side);
  const squares = two.getContext("2d");
  if (squares === null) return null;
  squares.fillStyle = BRIGHT;
  squares.fillRect(0, 0, 2 * side, 2 * side);
  squares.fillStyle = DARK;
  squares.fillRect(0, 0, side, side);
  squares.fillRect(side, side, side, side);
  return context.createPattern(two, "repeat");
}
