// Fetches a picture by its URL, relative to the page.

import { PageError } from "../shell/failure-card.js";

/** Rejects with a PageError if there is no picture. */
export async function fetchPicture(address: string): Promise<Blob> {
  const response = await fetch(new URL(address, document.baseURI)).catch(() => null);
  if (response?.ok) return response.blob();
  throw new PageError("picture-not-found", `There is no picture at ${address}.`, "Check its address.");
}
