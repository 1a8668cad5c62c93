// Takes pictures in: from the file button, dropped anywhere on the page, or pasted.

import { element } from "./elements.js";
import type { Picture } from "./picture.js";

export function takePictures(take: (picture: Picture) => void): void {
  const takeFile = (file: File | null | undefined) => {
    if (file) take({ blob: file, title: file.name || "The picture" });
  };
  const input = element("file", HTMLInputElement);
  input.addEventListener("change", () => {
    takeFile(input.files?.[0]);
    // The same file can be chosen again only when the input forgets it.
    input.value = "";
  });
  document.addEventListener("paste", (event) => takeFile(firstFile(event.clipboardData)));
  takeDrops(takeFile);
}

function firstFile(data: DataTransfer | null): File | undefined {
  const files = [...(data?.files ?? [])];
  return files.find((file) => file.type.startsWith("image/")) ?? files[0];
}

function takeDrops(takeFile: (file: File | undefined) => void): void {
  const zone = element("drop", HTMLElement);
  let depth = 0;
  const mark = (over: boolean) => zone.classList.toggle("over", over);
  document.addEventListener("dragenter", (event) => {
    if (!event.dataTransfer?.types.includes("Files")) return;
    depth += 1;
    mark(true);
  });
  document.addEventListener("dragleave", () => {
    depth = Math.max(0, depth - 1);
    if (depth === 0) mark(false);
  });
  document.addEventListener("dragover", (event) => event.preventDefault());
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    depth = 0;
    mark(false);
    takeFile(firstFile(event.dataTransfer));
  });
}
