// Options and results of the calls that take text.

/** Options of `embedText()` and `classify()`. */
export interface TextOptions {
  /** Texts with a `{}` for the label; their vectors are averaged. Default: the label alone. */
  templates?: readonly string[] | undefined;
  signal?: AbortSignal | undefined;
}

/** The vector of a text, of length 1. */
export type TextVector = Float32Array<ArrayBuffer>;

/** A label, and how well it matches a picture. */
export interface LabelScore {
  label: string;
  /** Its index in the list of labels. */
  index: number;
  /** The softmax over all labels, or the sigmoid of each, as the model was trained. */
  score: number;
  /** The cosine similarity of the label's and the picture's vectors. */
  cosine: number;
}
