// What a field of the manifest may hold: its JSON schema in a short form.

/** A type, such as "string" or "integer", or the name of a definition, such as "Output"; or what has bounds or parts. */
export type Rule =
  | string
  | Primitive
  | List
  | { values: Rule }
  | { enum: unknown[] }
  | { anyOf: Rule[] }
  | Kinds;

/** A number or a string with bounds. */
export interface Primitive {
  type: string;
  minimum?: number;
  maximum?: number;
  pattern?: string;
  /** It is the name of an output of the same model. */
  names?: "outputs";
}

export interface List {
  items: Rule;
  minItems?: number;
  maxItems?: number;
  /** The product of its numbers, without their signs, is no larger. */
  maxProduct?: number;
}

/** One of several definitions, by what the value's `kind` is. */
interface Kinds {
  kinds: Record<string, string>;
}

/** Of a definition the rule of each field. A field that ends in ? may be left out. */
export type Definition = Record<string, Rule>;
