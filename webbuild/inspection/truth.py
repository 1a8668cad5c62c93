"""What Chromium made of a model, node by node, beside what was predicted of it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from msgspec import Struct

from webbuild.inspection.inspection import Inspection, Node
from webbuild.probe.placed import COPIES, logged, numbers

Found = Literal["gpu", "cpu", "gone"]
"""Where a node was: `gone` if it was folded, or is a part of another."""

End = Literal["no-session", "throws", "wrong", "runs"]
ENDS: tuple[End, ...] = ("no-session", "throws", "wrong", "runs")

_NAME = re.compile(r"n(\d+)(?!\d)")
_THROWN = re.compile(r"Name:'n(\d+)(?!\d)")


class Counts(Struct, frozen=True, rename="camel"):
    """Nodes by where they are."""

    gpu: int
    cpu: int
    gone: int


class Line(Struct, frozen=True, rename="camel"):
    """An operator's nodes, predicted and measured."""

    operator: str
    predicted: Counts
    measured: Counts


class Measurement(Struct, frozen=True, rename="camel"):
    """Prediction and truth.

    `places` are where the nodes were, in the inspection's order, None where there was no session. `copies` are the
    measured ones, None where the engine names no nodes; `thrown` and `wrong` are the first node that threw, and the
    first one with a wrong answer, where they could be found. `message` is the engine's own, or why nothing could be
    compared. `disagreements` name what to probe.
    """

    operators: tuple[Line, ...]
    places: tuple[Found | None, ...]
    copies_predicted: int
    copies: int | None
    predicted: End
    measured: End
    thrown: int | None
    wrong: int | None
    message: str
    disagreements: tuple[str, ...]


def name(index: int) -> str:
    """Return the name under which a node is measured."""
    return f"n{index}"


def thrown(message: str) -> int | None:
    """Return the node that the engine's message is about."""
    found = _THROWN.search(message)
    return int(found[1]) if found else None


def compared(inspection: Inspection, log: Sequence[str], measured: End, message: str, wrong: int | None) -> Measurement:
    """Put a prediction beside what the engine logged, and how the run ended."""
    places = _places(inspection, log, measured)
    names = [node.operator for node in logged(log)]
    guess = predicted_end(inspection)
    failed = thrown(message) if measured == "throws" else None
    return Measurement(
        operators=tuple(_lines(inspection, places)),
        places=places,
        copies_predicted=sum(not copy.implicit for copy in inspection.copies),
        copies=sum(name in COPIES for name in names) if names or measured != "no-session" else None,
        predicted=guess,
        measured=measured,
        thrown=failed,
        wrong=wrong,
        message=message,
        disagreements=(
            *_ended_otherwise(inspection, guess, measured, failed if failed is not None else wrong),
            *_elsewhere(inspection, places),
        ),
    )


def predicted_end(inspection: Inspection) -> End:
    """Return the worst that the findings say."""
    ends = {finding.outcome for finding in inspection.findings if finding.severity == "error"}
    return next((end for end in ENDS if end in ends), "runs")


def _places(inspection: Inspection, log: Sequence[str], measured: End) -> tuple[Found | None, ...]:
    if measured == "no-session":
        return tuple(None for _ in inspection.nodes)
    found: dict[int, Found] = {}
    named = False
    for node in logged(log):
        named = True
        if (index := _NAME.match(node.name)) is not None:
            found[int(index[1])] = "cpu" if node.place == "cpu" else "gpu"
    if named:
        return tuple(found.get(node.index, "gone") for node in inspection.nodes)
    totals = numbers(log)  # all on one: the engine gives their number alone
    whole: Found = "cpu" if totals["cpu"] else "gpu" if totals["gpu"] else "gone"
    return tuple("gone" if node.place == "folded" else whole for node in inspection.nodes)


def _lines(inspection: Inspection, places: Sequence[Found | None]) -> Iterator[Line]:
    guessed: dict[str, Counter[str]] = {}
    true: dict[str, Counter[str]] = {}
    for node, place in zip(inspection.nodes, places, strict=True):
        guessed.setdefault(node.operator, Counter())[_guess(node)] += 1
        true.setdefault(node.operator, Counter())[place or ""] += 1
    for operator in sorted(guessed):
        yield Line(operator, _counts(guessed[operator]), _counts(true[operator]))


def _guess(node: Node) -> str:
    return "gone" if node.place == "folded" else node.place


def _counts(found: Mapping[str, int]) -> Counts:
    return Counts(found.get("gpu", 0), found.get("cpu", 0), found.get("gone", 0))


def _ended_otherwise(inspection: Inspection, guess: End, measured: End, blamed: int | None) -> Iterator[str]:
    if guess == measured:
        return
    codes = dict.fromkeys(each.code for each in inspection.findings if each.severity == "error")
    about = _described(inspection.nodes[blamed]) if blamed is not None and blamed < len(inspection.nodes) else ""
    what = about or (f"what {', '.join(codes)} say" if codes else "its operators one by one")
    yield f"it was to end as '{guess}', and ended as '{measured}': probe {what}"


def _elsewhere(inspection: Inspection, places: Sequence[Found | None]) -> Iterator[str]:
    """Yield the kinds of nodes that ran elsewhere. One that became a part of another ran nowhere."""
    kinds: dict[tuple[str, str, str], int] = {}
    for node, where in zip(inspection.nodes, places, strict=True):
        if where is not None and _guess(node) != where and not (where == "gone" and node.place == "gpu"):
            key = (_described(node), _guess(node), where)
            kinds[key] = kinds.get(key, 0) + 1
    words = {"gpu": "on the GPU", "cpu": "on the CPU", "gone": "gone while loading", "none": "without a kernel"}
    for (about, guess, place), times in kinds.items():
        yield f"{times} {words[place]}, not {words[guess]}: probe {about}"


def _described(node: Node) -> str:
    kernel = f"{node.type or 'no known type'} since {node.since}"
    return f"{node.domain + ':' if node.domain else ''}{node.operator} of {kernel}"
