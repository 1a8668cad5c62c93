"""The time of inspection and the passes on a model of many nodes, and the memory that large weights take.

python -m benchmarks.inspect_speed --write
"""

from __future__ import annotations

import argparse
import platform
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import onnx

from benchmarks import heavy_model, long_model
from benchmarks.page_markers import replace_marked
from benchmarks.peak_memory import peak_memory
from webbuild.inspection.inspect import inspect
from webbuild.model.load import load_onnx
from webbuild.passes.base import PassOptions
from webbuild.passes.lower import lower
from webbuild.passes.registry import all_passes
from webbuild.targets.table import load_table
from webbuild.targets.target import parse_target

PAGE = Path(__file__).parents[1] / "docs" / "speed.md"
DETECTOR = Path(__file__).parents[1] / "models" / "rt-detr" / "rt-detr.onnx"
NODES, MEGABYTES = 2500, 700
_ROUNDS = 3
_MB = 1_000_000


def best_time(work: Callable[[], object]) -> str:
    """Return the smallest processor time and wall time of a few rounds."""
    taken = []
    for _ in range(_ROUNDS):
        begun = time.process_time(), time.perf_counter()
        work()
        taken.append((time.process_time() - begun[0], time.perf_counter() - begun[1]))
    return f"{min(each[0] for each in taken):.1f} s of CPU time, {min(each[1] for each in taken):.1f} s"


def long_rows(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield the times of a model of many nodes."""
    made = folder / "long.onnx"
    onnx.save(long_model.model(NODES), made)
    all_passes()
    for name, path in (("synthetic", made), ("RT-DETR", DETECTOR)):
        yield from _timing_rows(name, path)


def _timing_rows(name: str, path: Path) -> Iterator[tuple[str, str]]:
    source, known, dims = load_onnx(path), load_table(parse_target("1.30.0-webgpu")), {"batch": 1}
    yield f"{name}: nodes", str(len(list(source.model.graph)))
    yield f"{name}: reading and checking the file", best_time(lambda: load_onnx(path))
    yield (
        f"{name}: `inspect`, every node and every finding",
        best_time(lambda: inspect(name, source.model, known, dims)),
    )
    yield (
        f"{name}: every pass, for both graphs",
        best_time(lambda: lower(source.model, PassOptions(dims=dims, table=known))),
    )


def heavy_rows(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield each command's peak anonymous memory for a model with large weights."""
    beside, inside = folder / "beside.onnx", folder / "inside.onnx"
    held = heavy_model.write(beside, MEGABYTES)
    onnx.save(onnx.load(beside), inside)
    yield "bytes of its weights", f"{held / _MB:.0f} MB"
    for path, where in ((beside, "in a file next to the model"), (inside, "inside the .onnx file")):
        out = folder / path.stem
        yield f"`inspect`, weights {where}", _peak_memory("inspect", path)
        yield f"`patch`, weights {where}", _peak_memory("patch", path, "-o", out)
        yield (
            f"`pack --no-verify`, weights {where}",
            _peak_memory("pack", path, "-o", out / "bundle", "--no-verify", "--no-cache"),
        )


def _peak_memory(*arguments: str | Path) -> str:
    return f"{peak_memory(arguments) / _MB:.0f} MB"


def render(rows: dict[str, str]) -> str:
    """Return the marked part of the page."""
    lines = "\n".join(f"| {what} | {value} |" for what, value in rows.items())
    machine = f"{platform.system()} {platform.machine()}"
    return f"""On {machine}, Python {platform.python_version()}; the least of {_ROUNDS} rounds:

| measured | |
|---|---|
{lines}
"""


def main() -> None:
    """Print the figures, and write them with `--write`."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help=f"write the table of {PAGE.name}")
    arguments = parser.parse_args()
    found: dict[str, str] = {}
    with tempfile.TemporaryDirectory() as folder:
        for rows in (long_rows, heavy_rows):
            for what, value in rows(Path(folder)):
                print(f"{what}: {value}", flush=True)
                found[what] = value
    if arguments.write:
        replace_marked(PAGE, render(found), "packing")


if __name__ == "__main__":
    main()
