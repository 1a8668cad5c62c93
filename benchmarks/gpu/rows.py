"""Rows of the result: a job's measurements, or its error. Standard library only."""

from __future__ import annotations

import statistics
from collections.abc import Mapping
from typing import Any


def result_row(about: Mapping[str, Any], answer: Mapping[str, Any]) -> dict[str, Any]:
    """Return the row of a job: `status` is right, wrong or error; `about` is copied from the plan."""
    if "error" in answer:
        return {**about, "status": "error", "message": answer["error"]}
    measured = answer["measured"]
    difference = measured["difference"]
    row = {
        **about,
        "status": "right" if difference is None else "wrong",
        "message": difference or "",
        "kernels": measured["kernels"],
        **summarize(measured["times"]),
    }
    return row | {name: measured[name] for name in ("session", "first") if name in measured}


def summarize(times: list[float]) -> dict[str, Any]:
    """Return the number of runs, and the median and quartiles of their milliseconds."""
    quartiles = statistics.quantiles(times, n=4, method="inclusive") if len(times) > 1 else [times[0]] * 3
    return {"runs": len(times), "q1": quartiles[0], "median": quartiles[1], "q3": quartiles[2]}
