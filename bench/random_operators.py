"""Runs random single operators on the native WebGPU build in Chromium, and says which are wrong or throw.

python -m bench.random_operators --count 2000            # seeds 0..1999
python -m bench.random_operators --seed 17 --seed 230    # these again, with the values
python -m bench.random_operators --only conv --patched   # of one kind, rewritten by the passes first
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
from msgspec import Struct

from bench.operators.engine import Answer, Tensors, engine
from bench.operators.one import One, make

TOLERANCE = 2e-3
"""Of the largest magnitude of an output; whole numbers must be equal."""
BATCH = 150


class Case(Struct, frozen=True):
    """A case and native ONNX Runtime's answer to it."""

    seed: int
    one: One
    model: bytes
    want: Tensors


def native(model: bytes, feeds: Tensors) -> dict[str, Any]:
    """Return native ONNX Runtime's answer, its optimisations off."""
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(model, options, ["CPUExecutionProvider"])
    return dict(zip([o.name for o in session.get_outputs()], session.run(None, dict(feeds)), strict=True))


def judge(case: Case, answer: Answer) -> str:
    """Return what is wrong with an answer, empty for nothing."""
    if isinstance(answer, str):
        return f"throws {answer}"
    for name, want in case.want.items():
        got = answer.get(name)
        if got is None or got.shape != want.shape:
            return f"{name} has shape {None if got is None else got.shape}, not {want.shape}"
        if want.dtype.kind != "f":
            if wrong := int((got != want).sum()):
                return f"{name} is wrong in {wrong} of {want.size}"
        elif want.size:
            limit = TOLERANCE * max(1e-6, float(np.abs(want[np.isfinite(want)]).max(initial=0)))
            close = np.isclose(got, want, rtol=1e-4, atol=limit, equal_nan=True)
            if not close.all():
                distance, largest = np.nanmax(np.abs(got - want)), np.nanmax(np.abs(want))
                return f"{name} is wrong in {int((~close).sum())} of {want.size}, by {distance:.3g} of {largest:.3g}"
    return ""


def cases(seeds: list[int], only: str, patched: bool) -> Iterator[Case]:
    """Yield the cases of the seeds that native ONNX Runtime takes."""
    for seed in seeds:
        one = make(seed, only)
        try:
            model = one.model()
            want = native(model, one.feeds())
        except Exception as error:
            print(f"  seed {seed} is no model: {one.what}: {str(error)[:160]}")
            continue
        yield Case(seed, one, rewritten(model) if patched else model, want)


def rewritten(model: bytes) -> bytes:
    """Return the model as the WebGPU graph has it."""
    import onnx
    import onnx_ir as ir

    from webbuild.assets import engine_version
    from webbuild.passes._base import Options
    from webbuild.plan import plan
    from webbuild.targets.table import table_if_measured
    from webbuild.targets.target import Target

    table = table_if_measured(Target(engine_version(), "webgpu"))
    planned = plan(ir.from_proto(onnx.load_from_string(model)), Options(table=table)).models["webgpu"]
    return ir.to_proto(planned).SerializeToString()


def run(seeds: list[int], only: str, patched: bool, options: dict[str, Any]) -> Iterator[tuple[Case, str]]:
    """Yield every case with what is wrong with the engine's answer, empty for nothing."""
    waiting = list(cases(seeds, only, patched))
    with engine() as chromium:
        for start in range(0, len(waiting), BATCH):
            batch = waiting[start : start + BATCH]
            answers = chromium.answers([(case.model, case.one.feeds()) for case in batch], **options)
            yield from ((case, judge(case, answer)) for case, answer in zip(batch, answers, strict=True))


def main() -> None:
    """Print what is wrong, then the counts by operator."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=0)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seed", type=int, action="append", default=[])
    parser.add_argument("--only", default="", help="a kind, as the functions of bench/operators are named")
    parser.add_argument("--patched", action="store_true", help="rewrite the model as for the WebGPU graph")
    parser.add_argument("--layout", choices=("NCHW", "NHWC"), help="the provider's preferredLayout")
    parser.add_argument("--out", type=Path, help="a file for what is wrong, a line of JSON each")
    given = parser.parse_args()
    seeds = given.seed or list(range(given.first, given.first + given.count))
    begin = time.monotonic()
    ran: Counter[str] = Counter()
    wrong: Counter[str] = Counter()
    lines = []
    for case, problem in run(
        seeds, given.only, given.patched, {"preferredLayout": given.layout} if given.layout else {}
    ):
        ran[case.one.op] += 1
        if problem:
            kind = "throws" if problem.startswith("throws") else "wrong"
            wrong[f"{case.one.op} {kind}"] += 1
            print(f"seed {case.seed}: {case.one.what}: {problem[:300]}", flush=True)
            lines.append(json.dumps({"seed": case.seed, "what": case.one.what, "problem": problem}))
    if given.out:
        given.out.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    if not ran:
        raise SystemExit("nothing was compared")
    print(f"{sum(wrong.values())} of {ran.total()} are wrong or throw, in {time.monotonic() - begin:.0f} s")
    for name, count in wrong.most_common():
        print(f"  {count:4} {name} (of {ran[name.split()[0]]})")


if __name__ == "__main__":
    main()
