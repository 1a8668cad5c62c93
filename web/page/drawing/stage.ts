// The stage: the area that shows the picture, with a canvas over it for maps and detections. Handles pointer, zoom and the
// before/after split. (Not related to the stages of a model: see src/runs/model-stage.ts.)

import type { AnyDetection, DetectionStyle } from "../results/detections.js";
import { defaultColor, detectionColor } from "./drawing-style.js";
import { contain, drawMap, type Fit, type Size, toPicture, type Zoom, zoomFit } from "./fit.js";
import { hitTest } from "./hit-test.js";
import { MaskBitmaps } from "./mask-bitmaps.js";
import { drawOverlay, type OverlayContent, paintOverlay } from "./overlay.js";
import { renderPicture } from "./render-picture.js";

export interface StagePicture {
  picture: HTMLImageElement | HTMLCanvasElement;
  /** Its size, in the same pixels as the coordinates of detections. */
  size: Size;
  mirrored: boolean;
  /** Painted, blurred, around a picture with another aspect ratio than the stage. */
  ambient: ImageBitmap | HTMLCanvasElement | null;
  /** The file of the picture, if there is one. */
  blob?: Blob;
}

/** A point of the picture, `x` and `y` in its pixels, and the same on the stage, in CSS pixels. */
export interface StagePoint {
  x: number;
  y: number;
  left: number;
  top: number;
}

/** The elements of the stage: the picture goes into `slot`, the drawing onto `overlay`. */
interface StageParts {
  stage: HTMLElement;
  ambient: HTMLCanvasElement;
  slot: HTMLElement;
  overlay: HTMLCanvasElement;
}

/** Draws controls such as prompts over everything else. They are not part of a saved picture. */
type Decoration = (context: CanvasRenderingContext2D, fit: Fit) => void;

export class Stage {
  readonly #root: HTMLElement;
  readonly #ambient: HTMLCanvasElement;
  readonly #slot: HTMLElement;
  readonly #overlay: HTMLCanvasElement;
  readonly #masks = new MaskBitmaps();
  #source: Size | null = null;
  #mirrored = false;
  #blob: Blob | null = null;
  #detections: readonly AnyDetection[] = [];
  #style: DetectionStyle | null = null;
  #highlighted: number | null = null;
  #map: ImageBitmap | OffscreenCanvas | null = null;
  #hidden = false;
  /** The x position of the before/after split, in CSS pixels of the stage. The map is drawn right of it. */
  #splitX = 0;
  #zoom: Zoom | null = null;
  #decorate: Decoration | null = null;
  #size: Size = { width: 0, height: 0 };
  #timer = 0;

  /** `onPlace` is called with the pointer's position, in pixels of the picture and of the stage. */
  constructor(
    { stage, ambient, slot, overlay }: StageParts,
    onHighlight: (index: number | null) => void,
    onPointer: (point: StagePoint | null) => void = () => {},
  ) {
    this.#root = stage;
    this.#ambient = ambient;
    this.#slot = slot;
    this.#overlay = overlay;
    new ResizeObserver(([entry]) => {
      if (entry) this.#size = { width: entry.contentRect.width, height: entry.contentRect.height };
      this.#draw();
    }).observe(this.#overlay);
    this.#root.addEventListener("pointermove", (event) => {
      if (event.pointerType === "mouse") onHighlight(this.#detectionAt(event));
      onPointer(this.pointOf(event));
    });
    this.#root.addEventListener("pointerdown", (event) => onPointer(this.pointOf(event)));
    this.#root.addEventListener("pointerleave", () => {
      onHighlight(null);
      onPointer(null);
    });
  }

  showPicture({ picture, size, mirrored, ambient, blob }: StagePicture): void {
    this.#blob = blob ?? null;
    this.#root.classList.add("filled");
    this.#root.style.setProperty("--ratio", String(size.width / size.height));
    this.#source = size;
    this.#mirrored = mirrored;
    this.#slot.classList.toggle("mirrored", mirrored);
    // The slot's label describes the picture.
    if (picture instanceof HTMLImageElement) picture.alt = "";
    if (this.#slot.firstChild !== picture) this.#slot.replaceChildren(picture);
    this.#paintAmbient(ambient);
  }

  /** Draws detections. The previous ones stay until all new masks are painted. */
  async showDetections(
    detections: readonly AnyDetection[],
    style: DetectionStyle,
    words: string,
  ): Promise<void> {
    const colors = detections.map((one, rank) => detectionColor(style, one, rank) ?? defaultColor);
    if (!(await this.#masks.paint(detections, colors))) return;
    this.#detections = detections;
    this.#style = style;
    if (this.#highlighted !== null && this.#highlighted >= detections.length) this.#highlighted = null;
    this.#slot.setAttribute("aria-label", words);
    this.#draw();
  }

  /** Sets the text description of the picture, for a task that draws nothing on it. */
  describe(words: string): void {
    this.#slot.setAttribute("aria-label", words);
  }

  clearDetections(): void {
    this.#masks.clear();
    this.#detections = [];
    this.#highlighted = null;
    this.#draw();
  }

  /** Draws a map (depth, regions, an output picture) over the whole picture, and closes the previous bitmap. */
  showMap(map: ImageBitmap | OffscreenCanvas | null): void {
    if (this.#map instanceof ImageBitmap) this.#map.close();
    this.#map = map;
    this.#draw();
  }

  hideMap(hidden: boolean): void {
    this.#hidden = hidden;
    this.#draw();
  }

  /** Draws the map only right of this x position, in CSS pixels of the stage. */
  splitMap(before: number): void {
    this.#splitX = before;
    this.#draw();
  }

  /** Shows a part of the picture, enlarged; all of it with null. */
  zoom(zoom: Zoom | null): void {
    this.#zoom = zoom;
    this.#draw();
  }

  decorate(paint: Decoration): void {
    this.#decorate = paint;
    this.redraw();
  }

  redraw(): void {
    this.#draw();
  }

  highlight(index: number | null): void {
    if (this.#highlighted === index) return;
    this.#highlighted = index;
    this.#draw();
  }

  #paintAmbient(ambient: StagePicture["ambient"]): void {
    const { width, height } = this.#ambient;
    const context = this.#ambient.getContext("2d");
    context?.clearRect(0, 0, width, height);
    if (ambient) context?.drawImage(ambient, 0, 0, width, height);
  }

  /** The position of the picture on the stage, null without a picture. */
  fit(): Fit | null {
    const whole = this.#source && contain(this.#source, this.#size, this.#mirrored);
    return whole && this.#zoom ? zoomFit(whole, this.#zoom, this.#size) : whole;
  }

  #draw(): void {
    if (this.#timer) return;
    // Not in an animation frame: together with layout and painting, that would be a long task.
    this.#timer = window.setTimeout(() => {
      this.#timer = 0;
      const fit = this.fit();
      const scene = fit && this.#overlayContent(this.#size, fit);
      drawOverlay(this.#overlay, scene, this.#size, window.devicePixelRatio || 1);
      this.#enlarge(fit);
      const context = this.#overlay.getContext("2d");
      if (!fit || !context) return;
      if (this.#map && this.showsMap) drawMap(context, this.#map, fit, this.#splitX);
      this.#decorate?.(context, fit);
    });
  }

  #overlayContent(stage: Size, fit: Fit): OverlayContent | null {
    const [detections, masks, style, highlighted] = [
      this.#detections,
      this.#masks,
      this.#style,
      this.#highlighted,
    ];
    return style && { detections, masks, style, fit, stage, highlighted };
  }

  /** Zooms the picture element in the same way as the drawing over it. */
  #enlarge(fit: Fit | null): void {
    const whole = this.#source && contain(this.#source, this.#size, this.#mirrored);
    if (!fit || !whole || !this.#zoom) {
      this.#slot.style.removeProperty("transform");
      return;
    }
    const { factor } = this.#zoom;
    const moved = `translate(${fit.left - whole.left * factor}px, ${fit.top - whole.top * factor}px)`;
    const turned = this.#mirrored ? ` translateX(${this.#size.width * factor}px) scaleX(-1)` : "";
    this.#slot.style.transformOrigin = "0 0";
    this.#slot.style.transform = `${moved}${turned} scale(${factor})`;
  }

  /** Whether a map covers the picture and is visible. */
  get showsMap(): boolean {
    return this.#map !== null && !this.#hidden;
  }

  /** Returns the picture with the drawing, at the picture's size; null without a picture. */
  async toCanvas(): Promise<HTMLCanvasElement | null> {
    const shown = this.#source && contain(this.#source, this.#size, this.#mirrored);
    const { firstChild } = this.#slot;
    // Decoded off the page's thread; an image element would be decoded while it is drawn.
    const decoded = this.#blob && (await createImageBitmap(this.#blob));
    const picture = decoded ?? firstChild;
    if (!this.#source || !shown || !isDrawable(picture)) return null;
    const fit = { ...shown, left: 0, top: 0 };
    const scene = this.#overlayContent({ width: shown.width, height: shown.height }, fit);
    const map = this.showsMap ? this.#map : null;
    const canvas = await renderPicture({
      picture,
      size: this.#source,
      mirrored: this.#mirrored,
      draw(context) {
        context.scale(1 / fit.scale, 1 / fit.scale);
        if (scene) paintOverlay(context, scene);
        if (map) drawMap(context, map, fit);
      },
    });
    decoded?.close();
    return canvas;
  }

  /** Returns the point of the picture at an event. */
  pointOf(event: MouseEvent): StagePoint | null {
    const fit = this.fit();
    if (!fit) return null;
    const bounds = this.#overlay.getBoundingClientRect();
    const left = event.clientX - bounds.left;
    const top = event.clientY - bounds.top;
    return { ...toPicture(fit, left, top), left, top };
  }

  /** The detection under the pointer. */
  #detectionAt(event: PointerEvent): number | null {
    const fit = this.fit();
    if (!fit) return null;
    const bounds = this.#overlay.getBoundingClientRect();
    return hitTest(this.#detections, fit, event.clientX - bounds.left, event.clientY - bounds.top);
  }
}

function isDrawable(picture: unknown): picture is ImageBitmap | HTMLImageElement | HTMLCanvasElement {
  return [ImageBitmap, HTMLImageElement, HTMLCanvasElement].some((type) => picture instanceof type);
}
