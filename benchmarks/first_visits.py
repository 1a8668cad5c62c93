"""First visits to a bundle, each in a fresh profile: how many load or hang, and whether the browser stores the files.

    WEBBUILD_CHROMIUM=build/lavapipe/chromium python -m benchmarks.first_visits dist/yolo-pose --visits 300
    python -m benchmarks.first_visits dist/yolo-pose --backend wasm --collect

With `--collect` the worker collects garbage all the time. A browser that drops a pending call together with its
garbage-collected object then does so nearly every time, not only sometimes.

Exits with 1 if a visit did not load, or if its files were not stored.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections import Counter
from pathlib import Path

from webbuild.browser.chromium import BrowserHandle, open_chromium
from webbuild.browser.server import Server

_LOAD = """async ([loader, options, seconds, collect]) => {
  if (collect) options.worker = () => new Worker("/collecting.js", { type: "module" });
  const late = new Promise((resolve) => setTimeout(() => resolve("hangs"), seconds * 1000));
  const { load } = await import(loader);
  const name = await Promise.race([late, load(options).then(({ backend }) => backend, ({ code }) => `error ${code}`)]);
  if (name !== options.backend) return name;
  const { files } = await (await fetch("/manifest.json")).json();
  const weights = files.find(({ path }) => path.startsWith("model/weights-")).sha256;
  const kept = async () => {
    const root = await navigator.storage.getDirectory();
    const names = await Array.fromAsync((await root.getDirectoryHandle("webbuild")).keys());
    return names.includes(weights);
  };
  for (let tries = 0; tries < 20; tries++) {
    if (await kept().catch(() => false)) return "loads";
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return "loads, but its weights are not kept";
}"""


def visit(
    browser: BrowserHandle, origin: str, loader: str, options: dict[str, object], limit: int, *, collect: bool
) -> str:
    """Load the model on an empty page of a fresh profile; return the outcome."""
    with browser.page() as (page, _):
        page.goto(f"{origin}/empty.html")
        outcome: str = page.evaluate(_LOAD, [loader, options, limit, collect])
        return outcome


def main() -> int:
    """Print every failed visit, and the counts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bundle", type=Path)
    parser.add_argument("--visits", type=int, default=300)
    parser.add_argument("--limit", type=int, default=60, help="seconds until a load counts as hanging [default: 60]")
    parser.add_argument("--backend", choices=("webgpu", "wasm"), default="webgpu")
    parser.add_argument("--collect", action="store_true", help="collect the worker's garbage all the time")
    args = parser.parse_args()
    loader = "/" + json.loads((args.bundle / "package.json").read_text("utf-8"))["name"] + ".js"
    options: dict[str, object] = {"backend": args.backend}
    flags = ["--js-flags=--expose-gc"] if args.collect else []
    outcomes: Counter[str] = Counter()
    seconds = []
    with Server(args.bundle) as server, open_chromium(extra=flags) as browser:
        server.virtual["/collecting.js"] = ("text/javascript", b'import "./runtime/worker.js"; setInterval(gc, 1);')
        server.virtual["/empty.html"] = ("text/html", b"<!doctype html><title>First visit</title>")
        for number in range(args.visits):
            begun = time.perf_counter()
            outcome = visit(browser, server.origin, loader, options, args.limit, collect=args.collect)
            seconds.append(time.perf_counter() - begun)
            outcomes[outcome] += 1
            if outcome != "loads":
                print(f"visit {number + 1}: {outcome}", flush=True)
            if (number + 1) % 10 == 0:
                print(f"{number + 1} visits: {dict(outcomes)}", flush=True)
    counts = ", ".join(f"{count} {outcome}" for outcome, count in outcomes.most_common())
    print(f"of {args.visits} first visits: {counts}; {statistics.median(seconds):.1f} s each (median)")
    return 0 if set(outcomes) == {"loads"} else 1


if __name__ == "__main__":
    raise SystemExit(main())
