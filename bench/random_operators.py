"""Runs random operators on the native WebGPU build in Chromium, and says which are wrong or throw.

python -m bench.random_operators --count 2000                    # seeds 0..1999
python -m bench.random_operators --count 2000 --passes --write   # as webbuild ships them, into docs/
python -m bench.random_operators --chains --seed 17 --seed 230   # these chains again
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
from bench.operators.trial import Problem, Subject, Trial, judge, patched, trial
from bench.tiny import run_all


def trials(seeds: Sequence[int], only: str, chains: bool, passes: bool, options: dict[str, Any]) -> Iterator[Trial]:
    """Yield the cases of the seeds that native ONNX Runtime takes."""
    for seed in seeds:
        try:
            subject: Subject = make_chain(seed, only) if chains else make(seed, only)
            yield trial(seed, subject, passes, options)
        except Exception as error:
            print(f"  seed {seed} is no model: {str(error)[:200]}")


def run(cases: Sequence[Trial]) -> Iterator[tuple[Trial, Problem | None]]:
    """Yield every case with what is wrong with the engine's answer, None for nothing."""
    jobs = [case.job for case in cases]
    for case, (_, answer) in zip(cases, run_all(jobs, "webgpu"), strict=True):
        yield case, judge(case.want, answer)


def failing(case: Trial, problem: Problem, passes: bool) -> report.Failing:
    """Return what is told of a case that fails; as it is, the passes that change it are named."""
    subject = case.subject
    cure = [] if passes else patched(subject.model()).done
    return report.Failing(case.seed, subject.op, subject.what, problem.ending, problem.why, cure)


def main() -> None:
    """Print what is wrong, then the counts by operator."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=0)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seed", type=int, action="append", default=[])
    parser.add_argument("--chains", action="store_true", help="several operators one behind the other")
    parser.add_argument("--only", default="", help="a kind, as the functions of bench/operators are named")
    parser.add_argument("--passes", action="store_true", help="rewritten as webbuild ships it")
    parser.add_argument("--layout", choices=("NCHW", "NHWC"), help="the provider's preferredLayout")
    parser.add_argument("--write", action="store_true", help=f"write {report.PAGE.name} and its data")
    given = parser.parse_args()
    begin = time.monotonic()
    seeds = given.seed or range(given.first, given.first + given.count)
    options = {"preferredLayout": given.layout} if given.layout else {}
    cases = list(trials(seeds, given.only, given.chains, given.passes, options))
    if not cases:
        raise SystemExit("nothing was compared")
    found = []
    for case, problem in run(cases):
        if problem is not None:
            found.append(failing(case, problem, given.passes))
            print(f"seed {case.seed}: {case.subject.what}: {problem.ending}: {problem.why[-300:]}", flush=True)
    ran = Counter(case.subject.op for case in cases)
    print(f"{len(found)} of {len(cases)} are wrong or throw, in {time.monotonic() - begin:.0f} s")
    for (op, ending), count in Counter((each.op, each.ending) for each in found).most_common():
        print(f"  {count:4} {op} {ending} (of {ran[op]})")
    if given.write:
        name = f"{'chains' if given.chains else 'operators'} {'after' if given.passes else 'before'}"
        report.write(name, report.Part(given.first, given.count, dict(sorted(ran.items())), found))


if __name__ == "__main__":
    main()
