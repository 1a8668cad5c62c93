"""The scoreboard: every trap on both WebGPU builds, as it is and after each tool: `python -m bench.traps --write`."""

from __future__ import annotations

import argparse

import onnx
from onnx import helper

from bench import tiny
from bench.traps.outcome import Outcome, judged, reference
from bench.traps.page import BUILDS, PAGE, Build, Row, left, read, write
from bench.traps.tools import TOOLS, Made, content, detected, made
from bench.traps.trap import Trap, traps
from webbuild.assets import engine_version
from webbuild.targets.target import Target


def measure(only: str, build: Build) -> list[Row]:
    """Run every trap on a build. What two tools make alike runs once."""
    target = Target(engine_version(), build)
    known = traps(only)
    tried = {(trap.name, tool): made(trap, tool, target) for trap in known for tool in TOOLS}
    jobs: dict[tuple[object, ...], tiny.Job] = {}
    for trap in known:
        for tool in TOOLS:
            what = tried[trap.name, tool]
            if what.model is not None:
                data, feeds = what.model.SerializeToString(), _fed(trap, what.model)
                jobs.setdefault(_key(trap, what), tiny.Job(f"{trap.name} ({tool})", data, feeds, what.cpu_nodes))
    print(f"{build}: {len(known)} traps, {len(jobs)} runs", flush=True)
    keys = {id(job): key for key, job in jobs.items()}
    answers: dict[tuple[object, ...], tiny.Answer] = {}
    for place in (build, "wasm"):
        mine = [job for key, job in jobs.items() if key[1] == place]
        answers |= {keys[id(job)]: answer for job, answer in tiny.run_all(mine, place)}
    rows = []
    for trap in known:
        want = reference(trap)
        if want is None:
            raise RuntimeError(f"{trap.name}: native ONNX Runtime refuses it, so nothing can be compared")
        outcomes = {}
        for tool in TOOLS:
            what = tried[trap.name, tool]
            if what.model is None:
                outcomes[tool] = Outcome("tool fails", what.why)
            else:
                kept = trap.kept or what.kept
                outcomes[tool] = judged(answers[_key(trap, what)], want, what.passes, what.why, kept, trap.undefined)
        rows.append(Row(trap.name, trap.what, trap.source, build, detected(trap, target), outcomes))
    return rows


def _key(trap: Trap, what: Made) -> tuple[object, ...]:
    """Return what is the same for two graphs that need to run only once."""
    assert what.model is not None
    return trap.name, what.build, len(what.cpu_nodes), content(what.model)


def _fed(trap: Trap, model: onnx.ModelProto) -> dict[str, tiny.Array]:
    """Return what goes in, as a tool's graph declares it: float64 may have become float32, a constant's input gone."""
    kinds = {each.name: helper.tensor_dtype_to_np_dtype(each.type.tensor_type.elem_type) for each in model.graph.input}
    return {name: array.astype(kinds[name]) for name, array in trap.feeds.items() if name in kinds}


def main() -> None:
    """Measure, print what is left, and write the scoreboard with `--write`."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="traps whose names contain this")
    parser.add_argument(
        "--build", choices=BUILDS, help="measure this one; rows that are not measured stay as they were"
    )
    parser.add_argument("--write", action="store_true", help=f"write {PAGE.name} and the data beside it")
    arguments = parser.parse_args()
    builds = (arguments.build,) if arguments.build else BUILDS
    rows = [row for build in builds for row in measure(arguments.only, build)]
    for row in rows:
        told = {tool: outcome.ending for tool, outcome in row.outcomes.items()}
        print(f"{row.build} {row.name}: {told}, found {list(row.findings)}; {row.outcomes['as it is'].why}")
    for row in left(rows):
        print(f"left on {row.build}: {row.name}: {row.outcomes['webbuild'].ending} {row.outcomes['webbuild'].why}")
    for row in rows:
        if "webbuild" in row.worse_by:
            print(f"worse on {row.build}: {row.name}: {row.outcomes['webbuild'].ending}")
    if arguments.write:
        measured = {(row.build, row.name) for row in rows}
        others = [row for row in read() if (row.build, row.name) not in measured] if len(builds) == 1 else []
        write(sorted([*rows, *others], key=lambda row: (BUILDS.index(row.build), row.name)), engine_version())


if __name__ == "__main__":
    main()
