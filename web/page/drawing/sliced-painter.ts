// A map of a picture's pixels as a picture in colours, painted in slices so that the page never stalls.

/** Pixels of the longer side: more than a stage has. */
const largest = 1280;

interface Size {
  width: number;
  height: number;
}

/** Paints the rows from `first` to before `end`. */
type PaintRows = (pixels: ImageData, first: number, end: number) => void;

export class SlicedPainter {
  readonly #slice: number;
  /** Tells the newest map from one that is painted late. */
  #turn = 0;

  /** `slice` is how many pixels are painted before the page may do something else. */
  constructor(slice: number) {
    this.#slice = slice;
  }

  /** `prepare` is given the size that is painted. Null: another map came meanwhile. */
  async paint(map: Size, prepare: (size: Size) => PaintRows): Promise<ImageBitmap | null> {
    this.#turn += 1;
    const turn = this.#turn;
    const shrink = Math.max(1, Math.max(map.width, map.height) / largest);
    const width = Math.max(1, Math.round(map.width / shrink));
    const height = Math.max(1, Math.round(map.height / shrink));
    const pixels = new ImageData(width, height);
    const paintRows = prepare({ width, height });
    const rows = Math.max(1, Math.floor(this.#slice / width));
    for (let first = 0; first < height; first += rows) {
      paintRows(pixels, first, Math.min(first + rows, height));
      if (first + rows < height) await pause();
      if (turn !== this.#turn) return null;
    }
    const picture = await createImageBitmap(pixels);
    if (turn === this.#turn) return picture;
    picture.close();
    return null;
  }

  /** Gives up what is being painted. */
  stop(): void {
    this.#turn += 1;
  }
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}
