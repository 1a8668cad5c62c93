"""Runs random operators on the native WebGPU build in Chromium, as they are and as webbuild ships them.

python -m bench.random_operators --count 700               # seeds 0..699
python -m bench.random_operators --count 700 --write       # and into docs/; --resume goes on from there
python -m bench.random_operators --chains --seed 17        # this chain again
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from bench.operators import report
from bench.operators.chain import make_chain
from bench.operators.one import make
from bench.operators.trial import Problem, Subject, Trial, judge, native, trial
from bench.tiny import run_all

CHUNK = 100
"""Cases to a browser, and between one writing and the next."""


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
    jobs = [job for case in cases for job in (case.job, case.shipped) if job is not None]
    answers = {job.name: answer for job, answer in run_all(jobs, "webgpu")}
    for case in cases:
        before = judge(case.want, answers[case.job.name])
        yield case, before, before if case.shipped is None else judge(case.want, answers[case.shipped.name])


def measure(seeds: Sequence[int], given: argparse.Namespace) -> report.Part:
    """Run the cases of some seeds, and print what is wrong."""
    options = {"preferredLayout": given.layout} if given.layout else {}
    cases = list(trials(seeds, given.only, given.chains, options))
    found: dict[str, list[report.Failing]] = {"before": [], "after": []}
    for case, *sides in run(cases):
        for side, problem in zip(found, sides, strict=True):
            if problem is not None:
                found[side].append(report.failing(case, problem))
                why = f"{problem.ending} {side} ({', '.join(case.cure)}): {problem.why[-300:]}"
                print(f"seed {case.seed}: {case.subject.what}: {why}", flush=True)
    ran = dict(sorted(Counter(case.subject.op for case in cases).items()))
    return report.Part(seeds[0], len(seeds), ran, **found)


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
    parser.add_argument("--resume", action="store_true", help="the same, with the seeds behind those written before")
    parser.add_argument("--again", action="store_true", help="those that failed, and write what comes of them now")
    given = parser.parse_args()
    name = "chains" if given.chains else "operators"
    first = report.after(name) if given.resume else given.first
    seeds: Sequence[int] = given.seed or range(first, first + given.count)
    if given.again:
        seeds = report.failed(name)
        report.amend(name, measure(seeds, given))
        return
    failing: Counter[tuple[str, str, str]] = Counter()
    ran = 0
    for start in range(0, len(seeds), CHUNK):
        part = measure(seeds[start : start + CHUNK], given)
        if given.write or given.resume:
            report.write(name, part)
        ran += sum(part.ran.values())
        for side, cases in (("before", part.before), ("after", part.after)):
            failing.update((side, each.op, each.ending) for each in cases)
        print(f"{ran} cases", flush=True)
    if not ran:
        raise SystemExit("nothing was compared")
    for (side, op, ending), count in sorted(failing.items()):
        print(f"{side}: {count:4} {op} {ending}")


if __name__ == "__main__":
    main()
