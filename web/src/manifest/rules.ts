// The valid values of a manifest's fields: its JSON schema in a short form.

/**
 * A type, such as "string" or "integer", the name of a definition, such as "Output", or a rule with bounds or
 * parts.
 */
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
  /** It must be the name of an output of the same model. */
  names?: "outputs";
}

export interface List {
  items: Rule;
  minItems?: number;
  maxItems?: number;
  /** The maximum of the product of its numbers' magnitudes. */
  maxProduct?: number;
}

/** One of several definitions, chosen by the value's `kind`. */
interface Kinds {
  kinds: Record<string, string>;
}

/** A definition: the rule of each field. A field that ends in ? is optional. */
export type Definition = Record<string, Rule>;
