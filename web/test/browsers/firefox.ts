// The system's Firefox for vitest, which only opens one address: Debian's release lacks Playwright's protocol.

import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { playwright } from "@vitest/browser-playwright";

type Provider = ReturnType<typeof playwright>;

const PREFERENCES = {
  "app.update.enabled": false,
  "browser.aboutwelcome.enabled": false,
  "browser.shell.checkDefaultBrowser": false,
  "datareporting.policy.dataSubmissionEnabled": false,
  "network.captive-portal-service.enabled": false,
  "network.connectivity-service.enabled": false,
  "toolkit.telemetry.enabled": false,
  // Videos autoplay.
  "media.autoplay.default": 0,
  // TestUtils.gc(): the tests see what is still referenced.
  "dom.testing.testutils.enabled": true,
  // WebGPU, which is on by default on Windows and macOS.
  "dom.webgpu.enabled": true,
  "dom.webgpu.workers.enabled": true,
  "gfx.webgpu.ignore-blocklist": true,
};

const DRIVERS = "/usr/share/vulkan/icd.d";

/** Environment of Firefox: Mesa's lavapipe is its only adapter, if installed. */
function environment(): NodeJS.ProcessEnv {
  const names = existsSync(DRIVERS) ? readdirSync(DRIVERS) : [];
  const driver = names.find((name) => name.startsWith("lvp_icd"));
  return { ...process.env, ...(driver === undefined ? {} : { VK_ICD_FILENAMES: join(DRIVERS, driver) }) };
}

/** A browser with its own profile, from the first page to the end. */
class Firefox {
  readonly name = "firefox";
  readonly supportsParallelism = false;
  readonly #path: string;
  #process: ChildProcess | undefined;
  #profile = "";

  constructor(path: string) {
    this.#path = path;
  }

  getCommandsContext(): Record<string, unknown> {
    return { process: this.#process?.pid };
  }

  async openPage(_session: string, url: string): Promise<void> {
    this.close();
    this.#profile = mkdtempSync(join(tmpdir(), "webbuild-firefox-"));
    const lines = Object.entries(PREFERENCES).map(
      ([name, value]) => `user_pref("${name}", ${JSON.stringify(value)});\n`,
    );
    writeFileSync(join(this.#profile, "user.js"), lines.join(""));
    this.#process = spawn(this.#path, ["--headless", "--no-remote", "--profile", this.#profile, url], {
      stdio: "ignore",
      detached: true,
      env: environment(),
    });
  }

  /** Ends the browser with all its processes. */
  close(): void {
    if (this.#process?.pid !== undefined) process.kill(-this.#process.pid, "SIGKILL");
    if (this.#profile !== "") rmSync(this.#profile, { recursive: true, force: true, maxRetries: 5 });
    this.#process = undefined;
  }
}

/** Returns a vitest provider for the Firefox at a path. */
export function firefox(path: string): Provider {
  return { ...playwright(), name: "firefox", providerFactory: () => new Firefox(path) } as Provider;
}

/** Returns the bytes of private memory of the page processes that a process started. */
export function pageMemory(context: object): number {
  const { process: pid } = context as { process?: number };
  if (pid === undefined) throw new Error("no browser that was started here");
  return descendants(pid)
    .filter(isOfPages)
    .map(anonymousBytes)
    .reduce((sum, bytes) => sum + bytes, 0);
}

function descendants(pid: number): number[] {
  const threads = existsSync(`/proc/${pid}/task`) ? readdirSync(`/proc/${pid}/task`) : [];
  const children = threads.flatMap((thread) => readProc(pid, `task/${thread}/children`).split(" "));
  return [pid, ...children.map(Number).filter(Boolean).flatMap(descendants)];
}

function isOfPages(pid: number): boolean {
  return /-contentproc.*\btab\0*$/s.test(readProc(pid, "cmdline"));
}

function anonymousBytes(pid: number): number {
  return Number(/RssAnon:\s+(\d+) kB/.exec(readProc(pid, "status"))?.[1] ?? 0) * 1024;
}

/** Returns what /proc says about a process, nothing if it has ended. */
function readProc(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return "";
  }
}
