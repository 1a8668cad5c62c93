"""Compare recognized text: the same characters, and close scores."""

from __future__ import annotations

import math
from collections.abc import Sequence

from webbuild.compare.comparison import ComparedOutput, Comparison
from webbuild.compare.tolerances import Tolerance
from webbuild.tasks.decoding.characters import ReadLine, TextLine
from webbuild.tasks.decoding.detection import Box
from webbuild.tasks.decoding.logical_order import has_arabic


def compare_lines(
    subject: ComparedOutput, want: Sequence[TextLine], got: Sequence[TextLine], tolerance: Tolerance
) -> list[Comparison]:
    """Compare lines of text, in their order.

    The character error rate has to be 0. No text on either side is a match for one picture; `mark_vacuous` fails if it
    is so for all.
    """
    texts = ["\n".join(each.text for each in side) for side in (want, got)]
    rate = character_error_rate(*texts)
    same = len(want) == len(got) and rate == 0
    pairs = list(zip(want, got, strict=False))
    distance = max((abs(one.score - other.score) for one, other in pairs), default=0.0)
    close = math.isfinite(distance) and distance <= tolerance.score
    problem = next(filter(None, (_words_problem(each) for each in got)), "")
    return [
        Comparison(
            subject=subject.with_quantity("character error rate"),
            verdict="OK" if same and not problem else "DIFFERS",
            tolerance=0,
            max_abs=rate,
            want=texts[0],
            got=texts[1],
            signal=float(len(texts[0])),
            reason="malformed" if problem else None if same else "not-equal",
            details=(problem,) if problem else (),
        ),
        Comparison(
            subject=subject.with_quantity("score"),
            verdict="OK" if close else "DIFFERS",
            tolerance=tolerance.score,
            max_abs=distance if math.isfinite(distance) else None,
            signal=max((each.score for each in want), default=0.0),
            reason=None if close else "too-far" if math.isfinite(distance) else "not-finite",
        ),
    ]


def compare_pages(
    subject: ComparedOutput, want: Sequence[ReadLine], got: Sequence[ReadLine], tolerance: Tolerance
) -> list[Comparison]:
    """Compare the lines of a picture, each with the line on the other side that has the nearest box."""
    left = list(got)
    pairs = []
    for line in want:
        near = min(left, key=lambda other: _distance(line.box, other.box), default=None)
        if near is not None:
            left.remove(near)
            pairs.append((line, near))
    counts = [
        Comparison(
            subject=subject.with_quantity("detections"),
            verdict="OK" if len(want) == len(got) else "DIFFERS",
            tolerance=0,
            max_abs=float(abs(len(want) - len(got))),
            want=str(len(want)),
            got=str(len(got)),
            signal=float(len(want)),
            reason=None if len(want) == len(got) else "unmatched",
        )
    ]
    turned = sum(one.turned != other.turned for one, other in pairs)
    if any(each.turned for each in (*want, *got)):
        counts.append(
            Comparison(
                subject=subject.with_quantity("turned lines"),
                verdict="DIFFERS" if turned else "OK",
                tolerance=0,
                max_abs=float(turned),
                signal=float(sum(each.turned for each in want)),
                reason="not-equal" if turned else None,
            )
        )
    read = [(_text_of(one), _text_of(other)) for one, other in pairs]
    return [*counts, *compare_lines(subject, [each for each, _ in read], [each for _, each in read], tolerance)]


def _text_of(line: ReadLine) -> TextLine:
    return TextLine(line.text, line.score, line.words)


def _distance(one: Box, other: Box) -> float:
    return max(abs(one.x1 - other.x1), abs(one.y1 - other.y1), abs(one.x2 - other.x2), abs(one.y2 - other.y2))


def character_error_rate(want: str, got: str) -> float:
    """Return the edit distance (insert, delete, replace a character) divided by the length of `want`.

    For an empty `want` it is 0 if `got` is empty too, else 1.
    """
    row = list(range(len(got) + 1))
    for at, wanted in enumerate(want, 1):
        before, row[0] = row[0], at
        for to, character in enumerate(got, 1):
            before, row[to] = row[to], min(row[to] + 1, row[to - 1] + 1, before + (wanted != character))
    return row[-1] / len(want) if want else float(bool(got))


def _words_problem(line: TextLine) -> str:
    """Return how the words of a line contradict its text, "" if they do not."""
    if [each.text for each in line.words] != line.text.split():
        return "the words are not those of the text"
    positions = [position for each in line.words for position in (each.start, each.end)]
    if not all(map(math.isfinite, positions)) or any(each.start > each.end for each in line.words):
        return "words overlap"
    # Arabic words are in the order of the text, and one may begin or end with a Latin run that has a space inside.
    return "" if has_arabic(line.text) or positions == sorted(positions) else "words overlap"
