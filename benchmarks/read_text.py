"""PaddleOCR's trained models in Chromium, compared with RapidOCR on the same files: lines and their text.

    pip install rapidocr-onnxruntime
    python -m benchmarks.read_text DET.onnx REC.onnx PICTURE...

Without `--backend` on both backends. RapidOCR stretches a picture to multiples of 32 and resizes 8-bit crops; webbuild
letterboxes it to 960 x 960. So a few lines begin or end at other positions.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from msgspec import Struct

from webbuild.browser.chromium import open_chromium
from webbuild.browser.media_types import media_type
from webbuild.browser.server import Server
from webbuild.tasks.decoding.boxes import enclosing_boxes, iou_matrix
from webbuild.tasks.metrics.compare_text import character_error_rate
from webbuild.verify.bundle_reader import open_bundle

SAME_LINE = 0.5
"""Smallest IoU of the upright boxes of matching lines."""
PAGE = """async ([entry, backend, pictures]) => {
  const { load } = await import(new URL(entry, document.baseURI).href);
  const model = await load({ backend, cache: false });
  const results = [];
  for (const picture of pictures) {
    const { lines } = await model.run(await (await fetch(new URL(picture, document.baseURI))).blob());
    results.push(lines.map(({ text, polygon }) => ({ text, polygon })));
  }
  await model.dispose();
  return results;
}"""


class Line(Struct, frozen=True):
    """A line of text and its corners, x y in pixels of the picture."""

    text: str
    polygon: list[list[float]]


def read_by_rapidocr(
    detector: Path, recognizer: Path, pictures: Sequence[Path], classifier: Path | None
) -> list[list[Line]]:
    """Return the lines of each picture; without a classifier no line is rotated."""
    from rapidocr_onnxruntime import RapidOCR  # type: ignore[import-not-found]

    given = {"det_model_path": detector, "rec_model_path": recognizer, "cls_model_path": classifier}
    paths = {name: str(path) for name, path in given.items() if path is not None}
    reader = RapidOCR(**paths, det_limit_side_len=960, det_limit_type="max")
    found = (reader(str(picture), use_cls=classifier is not None)[0] or [] for picture in pictures)
    return [[Line(text, polygon) for polygon, text, _ in each] for each in found]


def read_in_chromium(bundle: Path, backend: str, pictures: Sequence[Path]) -> list[list[Line]]:
    """Return the lines of each picture, from a bundle on a page."""
    entry = open_bundle(bundle).loader_file
    with Server(bundle) as server, open_chromium() as browser, browser.page() as (page, _):
        paths = {f"/given-{at}{each.suffix.lower()}": each for at, each in enumerate(pictures)}
        server.virtual.update({path: (media_type(each.name), each.read_bytes()) for path, each in paths.items()})
        page.goto(f"{server.url}report.html")
        page.set_default_timeout(600_000)
        results: Any = page.evaluate(PAGE, [entry, backend, list(paths)])
    return [[Line(**each) for each in lines] for lines in results]


def compare(want: Sequence[Line], got: Sequence[Line]) -> str:
    """Return a table row: lines of each, matching lines, lines with equal text, and the character error rate."""
    pairs = []
    if want and got:
        boxes = (enclosing_boxes(np.array([each.polygon for each in side], np.float64)) for side in (want, got))
        overlap = iou_matrix(*boxes)
        best = overlap.argmax(1)
        pairs = [(want[at], got[to]) for at, to in enumerate(best) if overlap[at, to] > SAME_LINE]
    same = sum(one.text == other.text for one, other in pairs)
    rate = character_error_rate("\n".join(one.text for one, _ in pairs), "\n".join(other.text for _, other in pairs))
    return f"{len(want)} | {len(got)} | {len(pairs)} | {same} | {rate:.3f}"


def main() -> None:
    """Print a row for each picture and backend."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("detector", type=Path)
    parser.add_argument("recognizer", type=Path)
    parser.add_argument("pictures", type=Path, nargs="+")
    parser.add_argument("--backend", action="append", choices=["wasm", "webgpu"])
    parser.add_argument("--classifier", type=Path, help="RapidOCR's classifier of upside-down lines")
    parser.add_argument("--widths", help="the --widths of webbuild pack")
    given = parser.parse_args()
    want = read_by_rapidocr(given.detector, given.recognizer, given.pictures, given.classifier)
    print("| models | picture | backend | lines of RapidOCR | lines | of both | the same text | character error rate |")
    print("|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        bundle = Path(folder) / "reader"
        samples = [word for each in given.pictures for word in ("--sample", each)]
        stages = filter(None, (given.detector, given.classifier, given.recognizer))
        command = [sys.executable, "-m", "webbuild", "pack", *stages, "-o", bundle]
        widths = ("--widths", given.widths) if given.widths else ()
        subprocess.run([*map(str, [*command, "--no-verify", *widths, *samples])], check=True)
        for backend in given.backend or ["wasm", "webgpu"]:
            read = read_in_chromium(bundle, backend, given.pictures)
            for picture, one, other in zip(given.pictures, want, read, strict=True):
                name = f"{given.detector.stem}, {given.recognizer.stem}"
                print(f"| {name} | {picture.name} | {backend} | {compare(one, other)} |")


if __name__ == "__main__":
    main()
