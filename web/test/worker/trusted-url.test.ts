import { expect, test, vi } from "vitest";
import { trustedUrl } from "../../src/worker/trusted-url.js";

test("a policy that the page does not allow is requested once", () => {
  const createPolicy = vi.fn(() => {
    throw new TypeError("the policy is not allowed");
  });
  vi.stubGlobal("trustedTypes", { createPolicy });
  try {
    const urls = ["one.js", "two.js"].map((path) => trustedUrl(new URL(path, location.origin)));
    expect(urls).toEqual([`${location.origin}/one.js`, `${location.origin}/two.js`]);
    expect(createPolicy).toHaveBeenCalledTimes(1);
  } finally {
    vi.unstubAllGlobals();
  }
});
