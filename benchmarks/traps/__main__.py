"""The scoreboard: every trap on WebGPU, unchanged and after each tool: `python -m benchmarks.traps --write`."""

from __future__ import annotations

import argparse

import onnx
from onnx import helper

from benchmarks import tiny_models
from benchmarks.traps.outcome import TrapOutcome, compare_answer, reference_outputs
from benchmarks.traps.report import PAGE, TrapRow, read, unresolved, write
from benchmarks.traps.tools import TOOLS, ToolResult, apply_tool, canonical_bytes, find_codes
from benchmarks.traps.trap import Trap, load_traps
from webbuild.ortweb.packaged_assets import engine_version
from webbuild.targets.target import Build, Target


def measure(only: str) -> list[TrapRow]:
    """Run every trap. If two tools produce the same graph, it runs once."""
    target = Target(engine_version(), "webgpu")
    known = load_traps(only)
    tried = {(trap.name, tool): apply_tool(trap, tool, target) for trap in known for tool in TOOLS}
    jobs: dict[tuple[object, ...], tiny_models.Job] = {}
    for trap in known:
        for tool in TOOLS:
            what = tried[trap.name, tool]
            if what.model is not None:
                data, feeds = what.model.SerializeToString(), _fed(trap, what.model)
                jobs.setdefault(_key(trap, what), tiny_models.Job(f"{trap.name} ({tool})", data, feeds, what.cpu_nodes))
    print(f"{len(known)} traps, {len(jobs)} runs", flush=True)
    keys = {id(job): key for key, job in jobs.items()}
    answers: dict[tuple[object, ...], tiny_models.JobResult] = {}
    places: tuple[Build, ...] = ("webgpu", "wasm")
    for place in places:
        mine = [job for key, job in jobs.items() if key[1] == place]
        answers |= {keys[id(job)]: answer for job, answer in tiny_models.run_all(mine, place)}
    rows = []
    for trap in known:
        want = reference_outputs(trap)
        if want is None:
            raise RuntimeError(f"{trap.name}: native ONNX Runtime refuses it, so nothing can be compared")
        outcomes = {}
        for tool in TOOLS:
            what = tried[trap.name, tool]
            if what.model is None:
                outcomes[tool] = TrapOutcome("tool fails", what.reason)
            else:
                kept = trap.kept or what.kept
                outcomes[tool] = compare_answer(
                    answers[_key(trap, what)], want, what.passes, what.reason, kept, trap.undefined
                )
        rows.append(TrapRow(trap.name, trap.what, trap.source, find_codes(trap, target), outcomes))
    return rows


def _key(trap: Trap, what: ToolResult) -> tuple[object, ...]:
    """Return a key that is equal for two graphs of which only one needs to run."""
    assert what.model is not None
    return trap.name, what.build, len(what.cpu_nodes), canonical_bytes(what.model)


def _fed(trap: Trap, model: onnx.ModelProto) -> dict[str, tiny_models.Array]:
    """Return the feeds in the data types of a tool's graph: float64 may be float32, constant inputs may be gone."""
    kinds = {each.name: helper.tensor_dtype_to_np_dtype(each.type.tensor_type.elem_type) for each in model.graph.input}
    return {name: array.astype(kinds[name]) for name, array in trap.feeds.items() if name in kinds}


def main() -> None:
    """Measure, print the unresolved traps, and write the scoreboard with `--write`."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--only", default="", help="traps whose names contain this; the rows of others stay as they were"
    )
    parser.add_argument("--write", action="store_true", help=f"write {PAGE.name} and its data")
    arguments = parser.parse_args()
    rows = measure(arguments.only)
    for row in rows:
        endings = {tool: outcome.ending for tool, outcome in row.outcomes.items()}
        print(f"{row.name}: {endings}, found {list(row.findings)}; {row.outcomes['unchanged'].reason}")
    for row in unresolved(rows):
        print(f"left: {row.name}: {row.outcomes['webbuild'].ending} {row.outcomes['webbuild'].reason}")
    for row in rows:
        if "webbuild" in row.worse_by:
            print(f"worse: {row.name}: {row.outcomes['webbuild'].ending}")
    if arguments.write:
        measured = {row.name for row in rows}
        others = [row for row in read() if row.name not in measured] if arguments.only else []
        write(sorted([*rows, *others], key=lambda row: row.name), engine_version())


if __name__ == "__main__":
    main()
