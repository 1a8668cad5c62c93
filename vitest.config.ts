// The tests run in a real Chromium, with a software WebGPU adapter.

import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { playwright } from "@vitest/browser-playwright";
import { defineConfig } from "vitest/config";
import { firefox, pageMemory } from "./web/test/browsers/firefox.js";
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

/** The tests run in Firefox where this names it: the few of `make soak`, as far as Firefox can do what they ask. */
const FIREFOX = process.env.WEBBUILD_SOAK_FIREFOX;

const BROWSER = FIREFOX
  ? {
      provider: firefox(FIREFOX),
      instances: [{ browser: "firefox" as const, include: [TESTS], exclude: [WITH_EXTERNAL] }],
    }
  : {
      provider: chromium(FLAGS),
      instances: [
        { browser: "chromium" as const, include: [TESTS], exclude: [WITH_EXTERNAL] },
        {
          browser: "chromium" as const,
          name: "external",
          include: [WITH_EXTERNAL],
          provider: chromium([...FLAGS, ...EXTERNAL]),
        },
      ],
    };

/** How often the tests of `make soak` repeat what they do. */
const TIMES = Number(process.env.WEBBUILD_TIMES ?? 3);

/** `make fuzz` draws thousands of broken inputs. */
const FUZZ = process.env.WEBBUILD_EXAMPLES === "fuzz";

/** Threads need a page that is isolated from other origins. */
const ISOLATED = {
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Embedder-Policy": "require-corp",
};

/** Of the report: runs at the same time, as those of `make soak`, have a name each. */
const NAME = process.env.WEBBUILD_REPORT ?? "vitest";

export default defineConfig({
  cacheDir: `node_modules/.vite/${NAME}`,
  // Nothing is watched: vitest runs once, and .venv has tens of thousands of files.
  server: { headers: ISOLATED, watch: null },
  plugins: [serveBundle()],
  test: {
    provide: {
      required: process.env.WEBBUILD_REQUIRE ?? "",
      times: TIMES,
      fuzz: FUZZ,
      seed: Number(process.env.WEBBUILD_SEED ?? Math.floor(Math.random() * 2 ** 31)) | 0,
    },
    testTimeout: FUZZ ? 3_600_000 : 60_000,
    hookTimeout: 60_000,
    tags: [
      {
        name: "soak",
        description: "Repeated by `make soak` until a leak shows.",
        timeout: 60_000 + TIMES * 50_000,
      },
    ],
    fileParallelism: false,
    reporters: ["default", ["json", { outputFile: `test-results/${NAME}.json` }]],
    browser: {
      enabled: true,
      commands: { pageMemory },
      headless: true,
      screenshotFailures: false,
      ...BROWSER,
    },
  },
});
