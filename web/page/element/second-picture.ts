// The second picture of <web-model>, for a model that takes two: a property, an element of the page, or a URL.

import type { ImageSource } from "../../src/index.js";
import { PageError } from "../shell/failure-card.js";
import { fetchPicture } from "../util/fetch-picture.js";

export class SecondPicture {
  /** The property `reference`, which takes precedence over the attribute. */
  source: ImageSource | null = null;
  #fetched: { address: string; picture: Promise<Blob> } | null = null;

  /** Returns the property's picture, or the attribute's: "#style" is an element, anything else a URL. */
  async read(host: HTMLElement): Promise<ImageSource | null> {
    const named = host.getAttribute("reference");
    if (this.source !== null || !named) return this.source;
    if (named.startsWith("#")) return elementOf(host, named.slice(1));
    if (this.#fetched?.address !== named) {
      const picture = fetchPicture(named);
      this.#fetched = { address: named, picture };
      picture.catch(() => {
        this.#fetched = null;
      });
    }
    return this.#fetched.picture;
  }
}

/** Returns an element of the page, or of the shadow root that the host is in, once its picture is loaded. */
async function elementOf(host: HTMLElement, id: string): Promise<ImageSource> {
  const root = host.getRootNode() as Document | ShadowRoot;
  const found = root.getElementById(id);
  if (found === null)
    throw new PageError("picture-not-found", `There is no element with the id ${id}.`, "Check the id.");
  if (found instanceof HTMLImageElement)
    await found.decode().catch(() => {
      throw new PageError("picture-not-found", `The image ${id} cannot be read.`, "Check its address.");
    });
  return found as HTMLImageElement;
}
