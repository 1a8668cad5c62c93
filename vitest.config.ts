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
  // Chromium measures JavaScript's memory at once, not at the next garbage collection.
  "--enable-blink-features=ForceEagerMeasureMemory",
  // Tests call gc(), to see what is still referenced.
  "--js-flags=--expose-gc",
];

/** Returns WEBBUILD_CHROMIUM, else chromium or google-chrome on the PATH, else undefined for Playwright's own. */
function findChromium(): string | undefined {
  const folders = (process.env.PATH ?? "").split(delimiter);
  const named = ["chromium", "google-chrome"].flatMap((name) => folders.map((folder) => join(folder, name)));
  return process.env.WEBBUILD_CHROMIUM ?? named.find((path) => existsSync(path));
}

/** Flags for external textures of VideoFrames on a software adapter: Chromium renders everything on Vulkan. */
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

/** Path of a Firefox to run the tests in: those of `make soak` that Firefox supports. */
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

/** Number of repetitions in the tests of `make soak`. */
const TIMES = Number(process.env.WEBBUILD_TIMES ?? 3);

/** Whether `make fuzz` runs, which draws thousands of broken inputs. */
const FUZZ = process.env.WEBBUILD_EXAMPLES === "fuzz";

/** Threads need a cross-origin isolated page. */
const ISOLATED = {
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Embedder-Policy": "require-corp",
};

/** Name of the report: concurrent runs, as in `make soak`, have different names. */
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
