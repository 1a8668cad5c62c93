// The stage: the picture, what the model found on it, and which detection the pointer is on.

import type { AnyDetection, DetectionStyle } from "../results/detections.js";
import { defaultColor, detectionColor } from "./drawing-style.js";
import { contain, drawMap, type Fit, offStage, type Size, type Zoom, zoomed } from "./fit.js";
import { hitTest } from "./hit-test.js";
import { MaskBitmaps } from "./mask-bitmaps.js";
import { drawScene, paintScene, type Scene } from "./overlay.js";
import { savedPicture } from "./saved-picture.js";

export interface StagePicture {
  picture: HTMLImageElement | HTMLCanvasElement;
  /** Its size in the pixels that detections are given in. */
  size: Size;
  mirrored: boolean;
  /** What is painted, blurred, around a picture of another shape than the stage. */
  ambient: ImageBitmap | HTMLCanvasElement | null;
  /** The file of the picture, where it has one. */
  blob?: Blob;
}

/** A point of the picture, `x` and `y` in its pixels, and the same on the stage, in CSS pixels. */
export interface StagePoint {
  x: number;
  y: number;
  left: number;
  top: number;
}

/** What the stage is made of: the picture goes into `slot`, the drawing onto `overlay`. */
interface StageParts {
  stage: HTMLElement;
  ambient: HTMLCanvasElement;
  slot: HTMLElement;
  overlay: HTMLCanvasElement;
}

/** Draws more onto the stage, over everything else. A picture that is saved is without. */
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
  #map: ImageBitmap | null = null;
  #hidden = false;
  /** How much of the stage the map leaves free, at its left, in CSS pixels. */
  #before = 0;
  #zoom: Zoom | null = null;
  #decorate: Decoration | null = null;
  #size: Size = { width: 0, height: 0 };
  #timer = 0;

  /** `onPlace` hears where the pointer is, in pixels of the picture and of the stage. */
  constructor(
    { stage, ambient, slot, overlay }: StageParts,
    onPoint: (index: number | null) => void,
    onPlace: (place: StagePoint | null) => void = () => {},
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
      if (event.pointerType === "mouse") onPoint(this.#at(event));
      onPlace(this.placeOf(event));
    });
    this.#root.addEventListener("pointerdown", (event) => onPlace(this.placeOf(event)));
    this.#root.addEventListener("pointerleave", () => {
      onPoint(null);
      onPlace(null);
    });
  }

  showPicture({ picture, size, mirrored, ambient, blob }: StagePicture): void {
    this.#blob = blob ?? null;
    this.#root.classList.add("filled");
    this.#root.style.setProperty("--ratio", String(size.width / size.height));
    this.#source = size;
    this.#mirrored = mirrored;
    this.#slot.classList.toggle("mirrored", mirrored);
    // The slot says in words what it shows.
    if (picture instanceof HTMLImageElement) picture.alt = "";
    if (this.#slot.firstChild !== picture) this.#slot.replaceChildren(picture);
    this.#paintAmbient(ambient);
  }

  /** What was found before stays until all masks of what is found now are painted. */
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

  /** Says in words what the picture is, for a task that draws nothing on it. */
  describe(words: string): void {
    this.#slot.setAttribute("aria-label", words);
  }

  clearDetections(): void {
    this.#masks.clear();
    this.#detections = [];
    this.#highlighted = null;
    this.#draw();
  }

  /** Lays a picture of numbers over the whole picture, and closes the one before. */
  showMap(map: ImageBitmap | null): void {
    this.#map?.close();
    this.#map = map;
    this.#draw();
  }

  hideMap(hidden: boolean): void {
    this.#hidden = hidden;
    this.#draw();
  }

  /** Lays the map over what is right of a place of the stage, in CSS pixels. */
  splitMap(before: number): void {
    this.#before = before;
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

  /** Where the picture lies on the stage, null where there is none. */
  fit(): Fit | null {
    const whole = this.#source && contain(this.#source, this.#size, this.#mirrored);
    return whole && this.#zoom ? zoomed(whole, this.#zoom, this.#size) : whole;
  }

  #draw(): void {
    if (this.#timer) return;
    // Not in an animation frame: that is one task with layout and painting, and the three add up to a long one.
    this.#timer = window.setTimeout(() => {
      this.#timer = 0;
      const fit = this.fit();
      const scene = fit && this.#scene(this.#size, fit);
      drawScene(this.#overlay, scene, this.#size, window.devicePixelRatio || 1);
      this.#enlarge(fit);
      const context = this.#overlay.getContext("2d");
      if (!fit || !context) return;
      if (this.#map && this.showsMap) drawMap(context, this.#map, fit, this.#before);
      this.#decorate?.(context, fit);
    });
  }

  #scene(stage: Size, fit: Fit): Scene | null {
    const [detections, masks, style, highlighted] = [
      this.#detections,
      this.#masks,
      this.#style,
      this.#highlighted,
    ];
    return style && { detections, masks, style, fit, stage, highlighted };
  }

  /** Moves the picture below the drawing to where that has it. */
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

  /** Whether a map lies over the picture, and is seen. */
  get showsMap(): boolean {
    return this.#map !== null && !this.#hidden;
  }

  /** The picture with the drawing on it, in the picture's pixels; null where there is no picture. */
  async toCanvas(): Promise<HTMLCanvasElement | null> {
    const shown = this.#source && contain(this.#source, this.#size, this.#mirrored);
    const { firstChild } = this.#slot;
    // Decoded beside the page; an image element would be decoded while it is drawn.
    const decoded = this.#blob && (await createImageBitmap(this.#blob));
    const picture = decoded ?? firstChild;
    if (!this.#source || !shown || !isDrawable(picture)) return null;
    const fit = { ...shown, left: 0, top: 0 };
    const scene = this.#scene({ width: shown.width, height: shown.height }, fit);
    const map = this.showsMap ? this.#map : null;
    const canvas = await savedPicture({
      picture,
      size: this.#source,
      mirrored: this.#mirrored,
      draw(context) {
        context.scale(1 / fit.scale, 1 / fit.scale);
        if (scene) paintScene(context, scene);
        if (map) drawMap(context, map, fit);
      },
    });
    decoded?.close();
    return canvas;
  }

  /** Where on the picture an event is. */
  placeOf(event: MouseEvent): StagePoint | null {
    const fit = this.fit();
    if (!fit) return null;
    const bounds = this.#overlay.getBoundingClientRect();
    const left = event.clientX - bounds.left;
    const top = event.clientY - bounds.top;
    return { ...offStage(fit, left, top), left, top };
  }

  /** The detection under the pointer. */
  #at(event: PointerEvent): number | null {
    const fit = this.fit();
    if (!fit) return null;
    const bounds = this.#overlay.getBoundingClientRect();
    return hitTest(this.#detections, fit, event.clientX - bounds.left, event.clientY - bounds.top);
  }
}

function isDrawable(picture: unknown): picture is ImageBitmap | HTMLImageElement | HTMLCanvasElement {
  return [ImageBitmap, HTMLImageElement, HTMLCanvasElement].some((type) => picture instanceof type);
}
