"""Run random operators on the native WebGPU build in Chromium, unchanged and as webbuild ships them.

python -m benchmarks.random_operators --count 700               # seeds 0..699
python -m benchmarks.random_operators --count 700 --write       # and into docs/; --resume continues from there
python -m benchmarks.random_operators --chains --seed 17        # this chain again
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from benchmarks.random_models import report
from benchmarks.random_models.chain import make_chain
from benchmarks.random_models.single_operator import make
from benchmarks.random_models.trial import GeneratedModel, Problem, Trial, find_problem, make_trial, run_native
from benchmarks.tiny_models import run_all

BATCH_SIZE = 100
"""Cases per browser, and per write of the results."""


def trials(seeds: Sequence[int], only: str, chains: bool, options: dict[str, Any]) -> Iterator[Trial]:
    """Yield the cases of the seeds that native ONNX Runtime accepts."""
    for seed in seeds:
        try:
            subject: GeneratedModel = make_chain(seed, only) if chains else make(seed, only)
            want = run_native(subject.model(), subject.feeds())
        except Exception as error:
            print(f"  seed {seed} gives no model: {str(error)[:200]}")
            continue
        yield make_trial(seed, subject, want, options)


def run_trials(cases: Sequence[Trial]) -> Iterator[tuple[Trial, Problem | None, Problem | None]]:
    """Yield every case with its problem unchanged and after the passes, None if it is right.

    A case that the passes do not change runs once.
    """
    jobs = [job for case in cases for job in (case.job, case.shipped) if job is not None]
    answers = {job.name: answer for job, answer in run_all(jobs, "webgpu")}
    for case in cases:
        before = find_problem(case.want, answers[case.job.name])
        yield case, before, before if case.shipped is None else find_problem(case.want, answers[case.shipped.name])


def measure_seeds(seeds: Sequence[int], given: argparse.Namespace) -> report.ReportPart:
    """Run the cases of some seeds, and print the problems."""
    options = {"preferredLayout": given.layout} if given.layout else {}
    cases = list(trials(seeds, given.only, given.chains, options))
    found: dict[str, list[report.FailedCase]] = {"before": [], "after": []}
    for case, *sides in run_trials(cases):
        for side, problem in zip(found, sides, strict=True):
            if problem is not None:
                found[side].append(report.failed_case(case, problem))
                reason = f"{problem.ending} {side} ({', '.join(case.passes)}): {problem.reason[-300:]}"
                print(f"seed {case.seed}: {case.subject.what}: {reason}", flush=True)
    ran = dict(sorted(Counter(case.subject.op for case in cases).items()))
    return report.ReportPart(seeds[0], len(seeds), ran, **found)


def main() -> None:
    """Print the problems, then the counts by operator."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=0)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seed", type=int, action="append", default=[])
    parser.add_argument("--chains", action="store_true", help="chains of several operators")
    parser.add_argument("--only", default="", help="a kind, by the name of its function")
    parser.add_argument("--layout", choices=("NCHW", "NHWC"), help="the provider's preferredLayout")
    parser.add_argument("--write", action="store_true", help=f"write {report.PAGE.name} and its data")
    parser.add_argument("--resume", action="store_true", help="the same, with the seeds after the stored ones")
    parser.add_argument("--again", action="store_true", help="run the failed cases again, and write the results")
    given = parser.parse_args()
    name = "chains" if given.chains else "operators"
    first = report.next_seed(name) if given.resume else given.first
    seeds: Sequence[int] = given.seed or range(first, first + given.count)
    if given.again:
        seeds = report.failed_seeds(name)
        report.replace_failures(name, measure_seeds(seeds, given))
        return
    failing: Counter[tuple[str, str, str]] = Counter()
    ran = 0
    for start in range(0, len(seeds), BATCH_SIZE):
        part = measure_seeds(seeds[start : start + BATCH_SIZE], given)
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
