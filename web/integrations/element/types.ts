// What <web-model> is to the page that has it.

/** A model as a bundle's `load()` gives it. */
export interface LoadedModel {
  readonly manifest: object;
  run(source: never, options: never): Promise<unknown>;
  reset(): Promise<void>;
  dispose(): Promise<void>;
}

/** A picture as `run()` takes it. */
export type PictureSource =
  | Blob
  | ImageBitmap
  | ImageData
  | HTMLImageElement
  | HTMLVideoElement
  | HTMLCanvasElement
  | OffscreenCanvas
  | VideoFrame;

/**
 * Attributes: `src`, the address of a bundle's loader; `picture`, that of the picture shown first; `backend`, as `load()`
 * takes it; `options`, what every run is given, as JSON; `reference`, the second picture of a model that takes two: its
 * address, or `#id` of an element of the page.
 *
 * Events: `ready` has the model in `detail`, `result` what a run returned, `error` what was thrown: `code`, `message`, `fix`.
 *
 * A model that segments what is clicked takes clicks and boxes on the picture: each gives a `result`.
 */
export interface WebModelElement extends HTMLElement {
  /** The model of `src`, or one that you loaded, which stays yours to dispose of. */
  model: LoadedModel | null;
  /** What every run is given besides the picture: `{ confidence: 0.4 }`. */
  options: object;
  /** The second picture of a model that takes two. It counts before the attribute `reference`. */
  reference: PictureSource | null;
  /** Shows a picture, and what the model finds on it. */
  show(picture: Blob, title?: string): Promise<void>;
}

declare global {
  interface HTMLElementTagNameMap {
    "web-model": WebModelElement;
  }
}
