"""Comparisons as tests look them up, most of them in a report's JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from webbuild.compare.comparison import Comparison, Verdict

Json = dict[str, Any]


def compared(comparison: Json) -> str:
    """Return the name of what was compared: the quantity, else the output."""
    subject = comparison["subject"]
    return str(subject["quantity"] or subject["output"])


def outputs(comparisons: list[Json]) -> set[str]:
    """Return the outputs that were compared, and the quantities that were counted in predictions."""
    return {each["subject"]["output"] or compared(each) for each in comparisons}


def verdicts(comparisons: list[Json]) -> set[str]:
    """Return all verdicts."""
    return {each["verdict"] for each in comparisons}


def matched(comparisons: list[Json]) -> dict[str, float]:
    """Return the number of matched objects for each sample, over all graphs."""
    found: dict[str, float] = {}
    for each in comparisons:
        if each["subject"]["quantity"] == "score":
            sample = each["subject"]["sample"]
            found[sample] = found.get(sample, 0.0) + each["signal"]
    return found


def group_verdict(group: Sequence[Comparison]) -> Verdict:
    """Return the verdict on an output: DIFFERS if any quantity differs, VACUOUS if all are vacuous, else OK."""
    found = {each.verdict for each in group}
    if "DIFFERS" in found:
        return "DIFFERS"
    return "VACUOUS" if found == {"VACUOUS"} else "OK"


def of_pictures(comparisons: list[Json]) -> list[Json]:
    """Return the comparisons of samples that are not synthetic."""
    return [each for each in comparisons if not each["subject"]["sample"].startswith("(")]
