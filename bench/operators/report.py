"""What came of the random operators, as a document and as data."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import msgspec
from msgspec import Struct

from bench.operators.trial import Ending
from webbuild.assets import engine_version

PAGE = Path(__file__).parents[2] / "docs" / "random-operators.md"
DATA = PAGE.with_suffix(".json")
PARTS = {"operators": "Single operators", "chains": "Chains"}
_LONG = 260


class Failing(Struct, frozen=True):
    """A case that is wrong or throws. `cure` are the passes that changed it, for one that was run as it is."""

    seed: int
    op: str
    what: str
    ending: Ending
    why: str
    cure: list[str] = []

    @property
    def kind(self) -> tuple[str, str, str]:
        """What makes it one of a class."""
        return self.op, self.ending, ", ".join(self.cure)


class Part(Struct, frozen=True):
    """One run: the seeds, how many of each operator there were, and what failed."""

    first: int
    count: int
    ran: dict[str, int]
    failing: list[Failing]


def write(name: str, part: Part) -> None:
    """Put one run into the data, and write the document anew. Names are `operators before`, `chains after` ..."""
    told = read()
    told[name] = msgspec.structs.replace(part, failing=[_brief(each) for each in part.failing])
    DATA.write_bytes(msgspec.json.format(msgspec.json.encode(dict(sorted(told.items()))), indent=1) + b"\n")
    PAGE.write_text(page(told), "utf-8")


def read() -> dict[str, Part]:
    """Return what was measured last, by name."""
    return msgspec.json.decode(DATA.read_bytes(), type=dict[str, Part]) if DATA.is_file() else {}


def _brief(each: Failing) -> Failing:
    return msgspec.structs.replace(each, what=each.what[:_LONG], why=" ".join(each.why.split())[-_LONG:])


def page(parts: dict[str, Part]) -> str:
    """Return the document."""
    lines = [
        "# Random operators",
        "",
        "Models of one operator, and short chains, with random attributes and awkward shapes: odd, prime and large",
        "numbers of channels, groups, strides, ranks 1 to 6. In Chromium on the native WebGPU build of onnxruntime-web",
        f"{engine_version()} and a software adapter, against native ONNX Runtime: as they are, and after webbuild's",
        "passes, with those nodes left to the CPU that the manifest names. A seed gives the same case again:",
        "`python -m bench.random_operators --seed 17`. Written by `--write`.",
        "",
    ]
    for part, title in PARTS.items():
        before, after = parts.get(f"{part} before"), parts.get(f"{part} after")
        if before is not None and after is not None:
            lines += [f"## {title}", "", *_sums(before, after), "", *_counts(before, after), "", *_classes(before)]
            lines += ["", *_left(after)] if after.failing else []
            lines.append("")
    return "\n".join(lines)


def _sums(before: Part, after: Part) -> list[str]:
    rows = [(part, sum(part.ran.values()), Counter(each.ending for each in part.failing)) for part in (before, after)]
    return [
        "| | cases | wrong | throw | no session |",
        "|---|---|---|---|---|",
        *(
            f"| {'as they are' if part is before else 'after the passes'} | {ran} | {ends['wrong']} | {ends['throws']} "
            f"| {ends['no session']} |"
            for part, ran, ends in rows
        ),
    ]


def _counts(before: Part, after: Part) -> list[str]:
    first, second = (Counter(each.op for each in part.failing) for part in (before, after))
    failing = [op for op in sorted(before.ran) if first[op] or second[op]]
    fine = [f"{op} {before.ran[op]}" for op in sorted(before.ran) if op not in failing]
    return [
        "| | cases | fail before | fail after |",
        "|---|---|---|---|",
        *(f"| {op} | {before.ran[op]} | {first[op]} | {second[op]} |" for op in failing),
        "",
        f"Right before and after: {', '.join(fine)}.",
    ]


def _classes(before: Part) -> list[str]:
    found: dict[tuple[str, str, str], list[Failing]] = {}
    for each in before.failing:
        found.setdefault(each.kind, []).append(each)
    return [
        "| what fails as it is | cases | mended by | for example seed |",
        "|---|---|---|---|",
        *(
            f"| {op}: {ending} | {len(cases)} | {cure or 'none'} | {cases[0].seed}: `{cases[0].what}` |"
            for (op, ending, cure), cases in sorted(found.items())
        ),
    ]


def _left(after: Part) -> list[str]:
    return [
        "Still failing:",
        "",
        *(f"- {each.seed}: `{each.what}` {each.ending}: {each.why}" for each in after.failing),
    ]
