// What a text encoder is asked, and what it says of a picture.

/** Options of `embedText()` and `classify()`. */
export interface TextOptions {
  /** Texts with a `{}` for the words; the mean of all templates' vectors is taken. Default: the words alone. */
  templates?: readonly string[] | undefined;
  signal?: AbortSignal | undefined;
}

/** The vector of a text, of length 1. */
export type TextVector = Float32Array<ArrayBuffer>;

/** A label, and how well it fits a picture. */
export interface LabelScore {
  label: string;
  /** Its place among the labels. */
  index: number;
  /** Of a softmax over all labels, or of a sigmoid of each, as the model was trained. */
  score: number;
  /** Of the vectors of label and picture. */
  cosine: number;
}
