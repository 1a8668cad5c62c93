// A picture from an address of the page.

import { PageError } from "../shell/failure-card.js";

/** Rejects with what the page shows where there is none. */
export async function fetchPicture(address: string): Promise<Blob> {
  const response = await fetch(new URL(address, document.baseURI)).catch(() => null);
  if (response?.ok) return response.blob();
  throw new PageError("picture-not-found", `There is no picture at ${address}.`, "Check its address.");
}
