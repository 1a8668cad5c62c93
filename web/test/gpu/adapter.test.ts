import { expect, inject, test } from "vitest";

test.runIf(inject("required").includes("webgpu"))(
  "WEBBUILD_REQUIRE=webgpu: there is a WebGPU adapter",
  async () => {
    expect(await navigator.gpu?.requestAdapter()).toBeTruthy();
  },
);
