// The fit of a picture on the stage, as CSS `object-fit: contain`, and the maps between picture and stage coordinates.

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

/** An enlarged part of the picture: `factor` times as large, with `center` in the middle if the picture's edges allow it. */
export interface Zoom {
  factor: number;
  center: { x: number; y: number };
}

/** Returns the enlarged fit. Along an axis where it is larger than the stage, it covers the stage. */
export function zoomFit(fit: Fit, { factor, center }: Zoom, stage: Size): Fit {
  const large = { ...fit, scale: fit.scale * factor, width: fit.width * factor, height: fit.height * factor };
  const across = center.x * large.scale;
  const left = stage.width / 2 - (fit.mirrored ? large.width - across : across);
  const top = stage.height / 2 - center.y * large.scale;
  return {
    ...large,
    left: clampOffset(left, large.width, stage.width),
    top: clampOffset(top, large.height, stage.height),
  };
}

/** Clamps the offset of the enlarged picture so that no empty border shows; centres it if it is smaller than the stage. */
function clampOffset(start: number, length: number, stage: number): number {
  return length <= stage ? (stage - length) / 2 : Math.min(0, Math.max(stage - length, start));
}

/** Maps a point from pixels of the picture to CSS pixels of the stage. */
export function toStage(fit: Fit, x: number, y: number): [number, number] {
  const across = x * fit.scale;
  return [fit.left + (fit.mirrored ? fit.width - across : across), fit.top + y * fit.scale];
}

/** Maps a point from CSS pixels of the stage to pixels of the picture. It may be outside the picture. */
export function toPicture(fit: Fit, left: number, top: number): { x: number; y: number } {
  const across = left - fit.left;
  return { x: (fit.mirrored ? fit.width - across : across) / fit.scale, y: (top - fit.top) / fit.scale };
}

/** Draws a map over the whole picture, clipped to the part right of `from`, in CSS pixels of the stage. */
export function drawMap(
  context: CanvasRenderingContext2D,
  map: ImageBitmap | OffscreenCanvas,
  fit: Fit,
  from = 0,
): void {
  context.save();
  context.beginPath();
  context.rect(
    Math.max(fit.left, from),
    fit.top,
    fit.left + fit.width - Math.max(fit.left, from),
    fit.height,
  );
  context.clip();
  context.translate(fit.mirrored ? fit.left + fit.width : fit.left, fit.top);
  context.scale(fit.mirrored ? -1 : 1, 1);
  context.drawImage(map, 0, 0, fit.width, fit.height);
  context.restore();
}

export interface Rectangle extends Size {
  x: number;
  y: number;
}

export function boxToStage(fit: Fit, box: { x1: number; y1: number; x2: number; y2: number }): Rectangle {
  const [left, top] = toStage(fit, fit.mirrored ? box.x2 : box.x1, box.y1);
  return { x: left, y: top, width: (box.x2 - box.x1) * fit.scale, height: (box.y2 - box.y1) * fit.scale };
}
