"""Patch every model of the zoo and run it in Chromium: `python -m benchmarks.zoo --write`.

`make zoo` exports the models first. Each step stores its results in the folder of `--out`, and continues there.
"""

from __future__ import annotations

import argparse
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import msgspec

from benchmarks.result_cache import cached_result
from benchmarks.zoo.patching import patch, predicted_errors
from benchmarks.zoo.report import PAGE, figures, render_page
from benchmarks.zoo.row import Patched, Row, Run
from benchmarks.zoo.running import job, run_all
from benchmarks.zoo.zoo_model import ZOO, ZooModel, load_zoo
from webbuild.errors import WebbuildError


def measure(models: list[ZooModel], out: Path, *, unpatched: bool = True) -> list[Row]:
    """Patch and run the models; `unpatched` also runs the unchanged models on WebGPU."""
    out.mkdir(parents=True, exist_ok=True)

    def patched(model: ZooModel) -> Patched:
        made = cached_result(out / f"{model.name}.json", Patched, lambda: patch(model, out))
        print(
            f"  {model.name}: {made.error_with_sizes or 'patched'} {made.message[:150]} {made.seconds:.1f} s",
            flush=True,
        )
        return made

    with ThreadPoolExecutor(2) as pool:
        made = dict(zip((model.name for model in models), pool.map(patched, models), strict=True))
    references = {model.name: model.reference() for model in models}
    taken = [model for model in models if not made[model.name].error_with_sizes]
    on_gpu = [model for model in taken if not made[model.name].on_wasm]
    as_they_are = [job(model, model.path) for model in models] if unpatched else []
    before = run_all(as_they_are, "webgpu", references)
    after = run_all([job(m, Path(made[m.name].file), made[m.name].cpu_nodes) for m in on_gpu], "webgpu", references)
    wasm = run_all([job(model, Path(made[model.name].file)) for model in taken], "wasm", references)
    runs = [{**dict.fromkeys(references, Run()), **side} for side in (before, after, wasm)]
    return [Row(m.name, made[m.name], _predicted(m), *(side[m.name] for side in runs)) for m in models]


def _predicted(model: ZooModel) -> tuple[str, ...]:
    try:
        return predicted_errors(model)
    except WebbuildError as error:
        return (error.code,)


def main() -> None:
    """Measure, print the figures, and write them with `--write`."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("zoo", nargs="?", type=Path, default=ZOO)
    parser.add_argument("--out", type=Path, default=ZOO.parent / "zoo-patched")
    parser.add_argument("--only", default="", metavar="REGEX", help="models whose names match")
    parser.add_argument("--write", action="store_true", help=f"write {PAGE.name}")
    arguments = parser.parse_args()
    rows = measure(list(load_zoo(arguments.zoo, arguments.only)), arguments.out)
    (arguments.out / "rows.jsonl").write_bytes(b"".join(msgspec.json.encode(row) + b"\n" for row in rows))
    for name, (one, other) in figures(rows).items():
        print(f"{name}: {one} -> {other}")
    text = render_page(rows)
    print(text)
    if arguments.write:
        PAGE.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
