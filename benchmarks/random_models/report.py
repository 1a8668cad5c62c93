"""The results of the random operators, as a document and as data."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import msgspec
from msgspec import Struct

from benchmarks.random_models.trial import Ending, Problem, Trial
from webbuild.ortweb.packaged_assets import engine_version

PAGE = Path(__file__).parents[2] / "docs" / "random-operators.md"
DATA = Path(__file__).parents[1] / "results" / "random-operators.json"
PARTS = {"operators": "Single operators", "chains": "Chains"}
_LONG = 260
_TIDYING = ("canonicalize", "fold-constants")


class FailedCase(Struct, frozen=True):
    """A case that is wrong or throws. `passes` are the codes of the passes that change it."""

    seed: int
    op: str
    what: str
    ending: Ending
    reason: str
    passes: list[str]

    @property
    def kind(self) -> tuple[str, str, str]:
        """The key by which failures are grouped."""
        return self.op, self.ending, ", ".join(f"`{code}`" for code in self.passes if code not in _TIDYING)


class ReportPart(Struct, frozen=True):
    """Seeds from `first` on, the number of cases per operator, and the failures before and after the passes."""

    first: int
    count: int
    ran: dict[str, int]
    before: list[FailedCase]
    after: list[FailedCase]


def failed_case(case: Trial, problem: Problem) -> FailedCase:
    """Return the stored record of a failed case."""
    return FailedCase(case.seed, case.subject.op, case.subject.what, problem.ending, problem.reason, case.passes)


def write(name: str, part: ReportPart) -> None:
    """Write a part into the data, appended to the stored part if its seeds follow, and the document."""
    parts = read()
    old = parts.get(name)
    if old is not None and old.first + old.count == part.first:
        ran = dict(sorted((Counter(old.ran) + Counter(part.ran)).items()))
        part = ReportPart(old.first, old.count + part.count, ran, old.before + part.before, old.after + part.after)
    sides = {"before": [_brief(each) for each in part.before], "after": [_brief(each) for each in part.after]}
    parts[name] = msgspec.structs.replace(part, **sides)
    DATA.write_bytes(msgspec.json.format(msgspec.json.encode(dict(sorted(parts.items()))), indent=1) + b"\n")
    PAGE.write_text(render_page(parts), "utf-8")


def replace_failures(name: str, again: ReportPart) -> None:
    """Replace the stored results of failed cases by new ones."""
    old = read()[name]
    ran = {each.seed for each in (*old.before, *old.after)}
    failures = {side: [*getattr(again, side)] for side in ("before", "after")}
    if {each.seed for each in (*again.before, *again.after)} - ran:
        raise ValueError("only cases that failed are run again")
    write(name, ReportPart(old.first, old.count, old.ran, **failures))


def failed_seeds(name: str) -> list[int]:
    """Return the seeds of the cases that failed before or after the passes."""
    part = read()[name]
    return sorted({each.seed for each in (*part.before, *part.after)})


def next_seed(name: str) -> int:
    """Return the seed after the last measured one."""
    part = read().get(name)
    return 0 if part is None else part.first + part.count


def read() -> dict[str, ReportPart]:
    """Return the stored parts by name."""
    return msgspec.json.decode(DATA.read_bytes(), type=dict[str, ReportPart]) if DATA.is_file() else {}


def _brief(each: FailedCase) -> FailedCase:
    return msgspec.structs.replace(each, what=each.what[:_LONG], reason=" ".join(each.reason.split())[-_LONG:])


def render_page(parts: dict[str, ReportPart]) -> str:
    """Return the document."""
    lines = [
        "# Random operators",
        "",
        "Models of one operator, and short chains, with random attributes and awkward shapes: odd, prime and large",
        "numbers of channels, groups, strides, ranks 1 to 6. In Chromium on the native WebGPU build of onnxruntime-web",
        f"{engine_version()} and a software adapter, compared with native ONNX Runtime: unchanged, and after",
        "webbuild's passes, with the manifest's CPU nodes on the CPU. A seed gives the same case again:",
        "`python -m benchmarks.random_operators --seed 17`. Written by `--write`; cases that failed may have",
        "been measured again with later passes (`--again`).",
        "",
    ]
    for name, title in PARTS.items():
        if (part := parts.get(name)) is not None:
            lines += [f"## {title}", "", *_sums(part), "", *_counts(part), "", *_classes(part), "", *_left(part)]
    return "\n".join(lines).rstrip() + "\n"


def _sums(part: ReportPart) -> list[str]:
    sides = {"unchanged": part.before, "after the passes": part.after}
    rows = ((title, Counter(each.ending for each in failing)) for title, failing in sides.items())
    return [
        f"{sum(part.ran.values())} cases, seeds {part.first} to {part.first + part.count - 1}.",
        "",
        "| | wrong | throw | no session |",
        "|---|---|---|---|",
        *(f"| {title} | {ends['wrong']} | {ends['throws']} | {ends['no session']} |" for title, ends in rows),
    ]


def _counts(part: ReportPart) -> list[str]:
    first, second = (Counter(each.op for each in failing) for failing in (part.before, part.after))
    failing = [op for op in sorted(part.ran) if first[op] or second[op]]
    fine = [f"{op} {part.ran[op]}" for op in sorted(part.ran) if op not in failing]
    return [
        "| | cases | fail before | fail after |",
        "|---|---|---|---|",
        *(f"| {op} | {part.ran[op]} | {first[op]} | {second[op]} |" for op in failing),
        "",
        f"Right before and after: {', '.join(fine)}.",
    ]


def _classes(part: ReportPart) -> list[str]:
    found: dict[tuple[str, str, str], list[FailedCase]] = {}
    for each in part.before:
        found.setdefault(each.kind, []).append(each)
    return [
        "| fails unchanged | cases | passes that change it | example: seed |",
        "|---|---|---|---|",
        *(
            f"| {op}: {ending} | {len(cases)} | {passes or 'none'} | {cases[0].seed}: `{cases[0].what}` |"
            for (op, ending, passes), cases in sorted(found.items())
        ),
    ]


def _left(part: ReportPart) -> list[str]:
    if not part.after:
        return []
    lines = [f"- {each.seed}: `{each.what}` {each.ending}: {each.reason}" for each in part.after]
    return ["Failing after the passes:", "", *lines, ""]
