// Receives pictures from the file button, dropped anywhere on the page, or pasted.

import { element } from "../util/elements.js";
import type { Picture } from "./picture.js";

export function pickImages(take: (picture: Picture) => void): void {
  const input = element("file", HTMLInputElement);
  const takeFiles = (files: Iterable<File>) => {
    const [first, ...rest] = input.multiple ? inOrder(files) : files;
    if (!first) return;
    const picture = { blob: first, title: first.name || "The picture", fileName: first.name };
    take(input.multiple ? { ...picture, stack: [first, ...rest] } : picture);
  };
  input.addEventListener("change", () => {
    takeFiles(input.files ?? []);
    // Clear the input, so that the same file can be chosen again.
    input.value = "";
  });
  let pasted = 0;
  document.addEventListener("paste", (event) => {
    if (!pastesText(event)) takeFiles(pictures(event.clipboardData).map((file) => named(file, ++pasted)));
  });
  takeDrops(takeFiles);
}

/** Whether text is pasted into a field: text from an office program comes with a picture of it. */
function pastesText({ target, clipboardData }: ClipboardEvent): boolean {
  const isField = target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement;
  return isField && (clipboardData?.types.includes("text/plain") ?? false);
}

/** Numbers a pasted picture: browsers give each of them the same name. */
function named(file: File, number: number): File {
  return file.name === "image.png" ? new File([file], `pasted-${number}.png`, { type: file.type }) : file;
}

/** Sorts files naturally: 10.png after 9.png. */
function inOrder(files: Iterable<File>): File[] {
  return [...files].sort((a, b) => a.name.localeCompare(b.name, "en", { numeric: true }));
}

/** Returns the picture files; if no file has a picture type, all files, and decoding reports the error later. */
export function pictures(data: DataTransfer | null): File[] {
  const files = [...(data?.files ?? [])];
  const found = files.filter((file) => file.type.startsWith("image/"));
  return found.length > 0 ? found : files;
}

/** Whether a drag has files. Dragged text is for the fields of the page. */
export function hasFiles({ dataTransfer }: DragEvent): boolean {
  return dataTransfer?.types.includes("Files") ?? false;
}

function takeDrops(takeFiles: (files: Iterable<File>) => void): void {
  const zone = element("drop", HTMLElement);
  let depth = 0;
  const mark = (over: boolean) => zone.classList.toggle("over", over);
  document.addEventListener("dragenter", (event) => {
    if (!hasFiles(event)) return;
    depth += 1;
    mark(true);
  });
  document.addEventListener("dragleave", () => {
    depth = Math.max(0, depth - 1);
    if (depth === 0) mark(false);
  });
  document.addEventListener("dragover", (event) => {
    if (hasFiles(event)) event.preventDefault();
  });
  document.addEventListener("drop", (event) => {
    depth = 0;
    mark(false);
    if (!hasFiles(event)) return;
    event.preventDefault();
    takeFiles(pictures(event.dataTransfer));
  });
}
