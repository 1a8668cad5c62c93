// The public types of <web-model>.

/** A model as returned by a bundle's `load()`. */
export interface LoadedModel {
  readonly manifest: object;
  run(source: never, options: never): Promise<unknown>;
  reset(): Promise<void>;
  dispose(): Promise<void>;
}

/** A picture for `run()`. */
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
 * Attributes: `src`, the URL of a bundle's loader; `picture`, the URL of the first picture; `backend`, as for `load()`;
 * `options`, the options of every run, as JSON; `reference`, the second picture of a model that takes two: its URL, or
 * `#id` of an element of the page.
 *
 * Events: `detail` is the model for `ready`, the result for `result`, and for `error` an error with `code`, `message`
 * and `fix`. The bitmaps of a result are closed with the next result.
 *
 * A model that segments from clicks takes clicks and boxes on the picture: each causes a `result`.
 */
export interface WebModelElement extends HTMLElement {
  /** The model of `src`, or one that you loaded and have to dispose of. */
  model: LoadedModel | null;
  /** The options of every run: `{ confidence: 0.4 }`. */
  options: object;
  /** The second picture of a model that takes two. It takes precedence over the attribute `reference`. */
  reference: PictureSource | null;
  /** Shows a picture with the model's results. */
  show(picture: Blob, title?: string): Promise<void>;
}

declare global {
  interface HTMLElementTagNameMap {
    "web-model": WebModelElement;
  }
}
