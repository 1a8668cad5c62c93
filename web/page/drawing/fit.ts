// Where a picture lies on the stage: as large as fits, centred; and where its points fall.

export interface Size {
  width: number;
  height: number;
}

/** From source pixels to CSS pixels of the stage. */
export interface Fit extends Size {
  left: number;
  top: number;
  scale: number;
  mirrored: boolean;
}

export function contain(source: Size, stage: Size, mirrored: boolean): Fit {
  const scale = Math.min(stage.width / source.width, stage.height / source.height);
  const width = source.width * scale;
  const height = source.height * scale;
  return {
    left: (stage.width - width) / 2,
    top: (stage.height - height) / 2,
    width,
    height,
    scale,
    mirrored,
  };
}

export function onStage(fit: Fit, x: number, y: number): [number, number] {
  const across = x * fit.scale;
  return [fit.left + (fit.mirrored ? fit.width - across : across), fit.top + y * fit.scale];
}

/** From CSS pixels of the stage back to source pixels, which may lie outside of the picture. */
export function offStage(fit: Fit, left: number, top: number): { x: number; y: number } {
  const across = left - fit.left;
  return { x: (fit.mirrored ? fit.width - across : across) / fit.scale, y: (top - fit.top) / fit.scale };
}

/** Draws a picture over all of the fit. */
export function drawMap(canvas: HTMLCanvasElement, map: ImageBitmap, fit: Fit): void {
  const context = canvas.getContext("2d");
  if (!context) return;
  context.save();
  context.translate(fit.mirrored ? fit.left + fit.width : fit.left, fit.top);
  context.scale(fit.mirrored ? -1 : 1, 1);
  context.drawImage(map, 0, 0, fit.width, fit.height);
  context.restore();
}

export interface Rectangle extends Size {
  x: number;
  y: number;
}

export function boxOnStage(fit: Fit, box: { x1: number; y1: number; x2: number; y2: number }): Rectangle {
  const [left, top] = onStage(fit, fit.mirrored ? box.x2 : box.x1, box.y1);
  return { x: left, y: top, width: (box.x2 - box.x1) * fit.scale, height: (box.y2 - box.y1) * fit.scale };
}
