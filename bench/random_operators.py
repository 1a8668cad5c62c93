"""Runs random operators on the native WebGPU build in Chromium, as they are and as webbuild ships them.

python -m bench.random_operators --count 700               # seeds 0..699
python -m bench.random_operators --count 700 --write       # and into docs/; with --first 700 it goes on from there
python -m bench.random_operators --chains --seed 17        # this chain again
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from bench.operators import report
from bench.operators.chain import make_chain
from bench.operators.one import make
from bench.operators.trial import Problem, Subject, Trial, judge, native, trial
from bench.tiny import run_all

CHUNK = 250
"""Cases to a browser."""


def trials(seeds: Sequence[int], only: str, chains: bool, options: dict[str, Any]) -> Iterator[Trial]:
    """Yield the cases of the seeds that native ONNX Runtime takes."""
    for seed in seeds:
        try:
            subject: Subject = make_chain(seed, only) if chains else make(seed, only)
            want = native(subject.model(), subject.feeds())
        except Exception as error:
            print(f"  seed {seed} is no model: {str(error)[:200]}")
            continue
        yield trial(seed, subject, want, options)


def run(cases: Sequence[Trial]) -> Iterator[tuple[Trial, Problem | None, Problem | None]]:
    """Yield every case with what is wrong as it is and after the passes, None for nothing.

    What the passes do not change is run once.
    """
    for start in range(0, len(cases), CHUNK):
        chunk = cases[start : start + CHUNK]
        jobs = [job for case in chunk for job in (case.job, case.shipped) if job is not None]
        answers = {job.name: answer for job, answer in run_all(jobs, "webgpu")}
        for case in chunk:
            before = judge(case.want, answers[case.job.name])
            yield case, before, before if case.shipped is None else judge(case.want, answers[case.shipped.name])


def main() -> None:
    """Print what is wrong, then the counts by operator."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=0)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seed", type=int, action="append", default=[])
    parser.add_argument("--chains", action="store_true", help="several operators one behind the other")
    parser.add_argument("--only", default="", help="a kind, as the functions of bench/operators are named")
    parser.add_argument("--layout", choices=("NCHW", "NHWC"), help="the provider's preferredLayout")
    parser.add_argument("--write", action="store_true", help=f"write {report.PAGE.name} and its data")
    given = parser.parse_args()
    begin = time.monotonic()
    seeds = given.seed or range(given.first, given.first + given.count)
    options = {"preferredLayout": given.layout} if given.layout else {}
    cases = list(trials(seeds, given.only, given.chains, options))
    if not cases:
        raise SystemExit("nothing was compared")
    found: dict[str, list[report.Failing]] = {"before": [], "after": []}
    for case, *sides in run(cases):
        for side, problem in zip(found, sides, strict=True):
            if problem is not None:
                found[side].append(report.failing(case, problem))
                why = f"{problem.ending} {side} ({', '.join(case.cure)}): {problem.why[-300:]}"
                print(f"seed {case.seed}: {case.subject.what}: {why}", flush=True)
    ran = Counter(case.subject.op for case in cases)
    for side, failing in found.items():
        print(f"{side}: {len(failing)} of {len(cases)} are wrong or throw")
        for (op, ending), count in Counter((each.op, each.ending) for each in failing).most_common():
            print(f"  {count:4} {op} {ending} (of {ran[op]})")
    print(f"{time.monotonic() - begin:.0f} s")
    if given.write:
        part = report.Part(given.first, given.count, dict(sorted(ran.items())), **found)
        report.write("chains" if given.chains else "operators", part)


if __name__ == "__main__":
    main()
