// The tests run in a real Chromium, with a software WebGPU adapter.

import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { playwright } from "@vitest/browser-playwright";
import { defineConfig } from "vitest/config";
import { serveBundle } from "./web/test/fixture/serve.js";

const FLAGS = [
  "--no-sandbox",
  "--enable-unsafe-webgpu",
  "--use-webgpu-adapter=swiftshader",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  // Chromium says at once how much JavaScript holds, not when it next collects garbage.
  "--enable-blink-features=ForceEagerMeasureMemory",
  // Tests collect garbage with gc(), to see what is still held.
  "--js-flags=--expose-gc",
];

/** WEBBUILD_CHROMIUM, else a chromium or google-chrome on the path, else (undefined) Playwright's own. */
function findChromium(): string | undefined {
  const folders = (process.env.PATH ?? "").split(delimiter);
  const named = ["chromium", "google-chrome"].flatMap((name) => folders.map((folder) => join(folder, name)));
  return process.env.WEBBUILD_CHROMIUM ?? named.find((path) => existsSync(path));
}

/** What else makes Chromium take VideoFrames as external textures on a software adapter: all of its drawing on Vulkan. */
const EXTERNAL = [
  "--use-vulkan=native",
  "--use-angle=swiftshader",
  "--enable-unsafe-swiftshader",
  "--ignore-gpu-blocklist",
  "--disable-vulkan-surface",
  "--enable-gpu-rasterization",
  "--enable-features=Vulkan,VulkanFromANGLE,DefaultANGLEVulkan",
];

function chromium(args: string[]) {
  const executablePath = findChromium();
  // Playwright's default headless shell has no WebGPU; the full browser has.
  return playwright({
    launchOptions: executablePath ? { executablePath, args } : { channel: "chromium", args },
  });
}

const TESTS = "web/**/*.test.ts";
const WITH_EXTERNAL = "web/test/external/*.test.ts";

/** Threads need a page that is isolated from other origins. */
const ISOLATED = {
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Embedder-Policy": "require-corp",
};

export default defineConfig({
  server: { headers: ISOLATED },
  plugins: [serveBundle()],
  test: {
    provide: {
      required: process.env.WEBBUILD_REQUIRE ?? "",
      times: Number(process.env.WEBBUILD_TIMES ?? 5),
    },
    testTimeout: 60_000,
    hookTimeout: 60_000,
    fileParallelism: false,
    reporters: ["default", ["json", { outputFile: "test-results/vitest.json" }]],
    browser: {
      enabled: true,
      headless: true,
      screenshotFailures: false,
      provider: chromium(FLAGS),
      instances: [
        { browser: "chromium", include: [TESTS], exclude: [WITH_EXTERNAL] },
        {
          browser: "chromium",
          name: "external",
          include: [WITH_EXTERNAL],
          provider: chromium([...FLAGS, ...EXTERNAL]),
        },
      ],
    },
  },
});
