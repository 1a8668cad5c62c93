// Describes the interpretation of an output as text.

import { short } from "../util/format.js";
import type { Reading } from "./reading.js";
import type { Unit } from "./units.js";

function measure(unit: Unit): string {
  if (unit === "pixels") return "in pixels of the input";
  return unit === "parts" ? "in fractions of the input, 0..1" : `in cells of ${unit.width} × ${unit.height}`;
}

/** Returns a count with its noun: "2 points". */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** Returns the description of a reading, and the reason for it. */
export function describeReading(reading: Reading): [what: string, why: string] {
  switch (reading.form) {
    case "picture": {
      const { low, high } = reading.levels;
      const order = reading.color === "bgr" ? ", BGR as the input" : "";
      const grey = reading.planes.channels === 1 ? "grey " : "";
      return [`a ${grey}picture of ${short(low)}..${short(high)}${order}`, "by its shape and range"];
    }
    case "map":
      return ["a map", "by its shape"];
    case "points":
      return "peaks" in reading
        ? [`heat maps of ${counted(reading.peaks.channels, "point")}`, "by its shape and peaks"]
        : [`${reading.rows.count} points ${measure(reading.unit)}`, "by its values"];
    case "lines":
      return reading.field === null
        ? [`${reading.rows.count} lines x1, y1, x2, y2 ${measure(reading.unit)}`, "by its values"]
        : [`line centres, with their ends in ${reading.field.name}`, "by the values of both"];
    case "boxes":
      return [`boxes x1, y1, x2, y2 ${measure(reading.unit)}`, "by its values"];
    case "classes": {
      const { channels } = reading.planes;
      return [channels > 1 ? `maps of ${channels} classes` : "a map of class numbers", "by its shape"];
    }
    case "embedding":
      return [`an embedding of ${reading.length} numbers`, "by its length and numbers"];
    case "characters": {
      const { count, classes, blank } = reading.steps;
      return [`${classes} characters at ${count} steps, ${blank} the blank`, "by its values"];
    }
    case "bars":
      if (reading.length === 1) return ["a number", "by its shape"];
      return [`${reading.length} ${reading.scores === false ? "numbers" : "scores"}`, "by its shape"];
    case "table":
      return ["numbers in the table", "its shape and numbers fit no drawing"];
  }
}
