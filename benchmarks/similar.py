"""`similar()` over 100,000 vectors of 512 numbers in Chromium: comparison with numpy, and the page's longest task.

python -m benchmarks.similar
"""

from __future__ import annotations

import json
import shutil
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from webbuild.browser.chromium import open_chromium
from webbuild.browser.server import Server
from webbuild.ortweb import packaged_assets
from webbuild.postprocess.unit_vectors import unit_vectors

COUNT, SIZE, BEST, QUERIES = 100_000, 512, 100, 5
PAGE = """
async ({ queries, best }) => {
  const { loadIndex, similar } = await import("./webbuild.js");
  const index = await loadIndex("index.json");
  const answers = [];
  const tasks = [];
  const observer = new PerformanceObserver((list) => tasks.push(...list.getEntries()));
  observer.observe({ type: "longtask" });
  for (const query of queries) {
    const began = performance.now();
    const found = await similar(index, query, best);
    const took = performance.now() - began;
    await new Promise((resolve) => setTimeout(resolve, 200));
    const longest = Math.max(0, ...tasks.splice(0).map(({ duration }) => duration));
    answers.push({ took, longest, places: found.map((each) => each.index), cosines: found.map((each) => each.cosine) });
  }
  return answers;
}
"""


def main() -> None:
    """Print the milliseconds of a search, the page's longest task during it, and the largest difference."""
    random = np.random.default_rng(0)
    vectors = unit_vectors(random.standard_normal((COUNT, SIZE))).astype(np.float32)
    queries = unit_vectors(random.standard_normal((QUERIES, SIZE)))
    with tempfile.TemporaryDirectory() as folder:
        write(Path(folder), vectors)
        with Server(Path(folder)) as server, open_chromium() as browser, browser.page() as (page, _):
            page.goto(f"{server.url}index.html")
            answers = page.evaluate(PAGE, {"queries": queries.tolist(), "best": BEST})
    print("search ms:", [round(each["took"]) for each in answers])
    print("longest task on the page's thread, ms (0: none above 50):", [round(each["longest"], 1) for each in answers])
    print("largest difference of a cosine:", max(map(compare, [vectors] * QUERIES, queries, answers)))


def write(folder: Path, vectors: NDArray[np.float32]) -> None:
    """Write an index, an empty page and the runtime."""
    said = {"format": 1, "dimension": SIZE, "names": [f"{at}.jpg" for at in range(COUNT)]}
    (folder / "index.json").write_text(json.dumps(said))
    (folder / "index.bin").write_bytes(vectors.tobytes())
    (folder / "index.html").write_text("<!doctype html><title>similar</title>")
    for file in packaged_assets.runtime_files():
        shutil.copy(file, folder)


def compare(vectors: NDArray[np.float32], query: NDArray[np.float64], answer: Any) -> float:
    """Return the largest difference of a cosine from numpy's; the indices must be numpy's."""
    cosines = vectors.astype(np.float64) @ query
    places = np.argsort(-cosines, kind="stable")[:BEST]
    assert answer["places"] == places.tolist()
    return float(np.abs(cosines[places] - answer["cosines"]).max())


if __name__ == "__main__":
    main()
