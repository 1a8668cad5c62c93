"""The recorded part of a command's JSON: codes, verdicts, counts and rounded numbers. No times, hashes or paths."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from msgspec import convert

from tests.compared import compared, group_verdict
from webbuild.compare.by_output import group_by_output, matched_objects
from webbuild.compare.comparison import Comparison
from webbuild.reporting.comparison_text import output_title

Json = dict[str, Any]
Group = Sequence[Comparison]


def summarize_inspection(report: Json) -> Json:
    """Summarize `inspect --json`: nodes by placement and outcome, and the findings."""
    nodes = report["nodes"]
    return {
        "inputs": [f"{each['name']} {each['dtype']} {each['shape']}" for each in report["inputs"]],
        "outputs": [f"{each['name']} {each['dtype']} {each['shape']}" for each in report["outputs"]],
        "assumptions": len(report["assumptions"]),
        "nodes": _count(f"{each['placement']}, {each['outcome']}" for each in nodes),
        "nodes with a finding": _count(code for each in nodes for code in each["codes"]),
        "partitions": [len(each["nodes"]) for each in report["partitions"]],
        "transfers": _count(each["destination"] for each in report["transfers"]),
        "findings": _findings(report["findings"]),
        "fixed by": {each["code"]: sorted(each["fixedBy"]) for each in report["findings"]},
    }


def summarize_rewrites(rewrites: dict[str, list[Json]]) -> Json:
    """Summarize the `rewrites` of `pack --json` or `pack --dry-run --json`: by graph and code."""
    return {
        graph: _count(f"{each['code']}, {'applied' if each['applied'] else 'skipped'}" for each in of_graph)
        for graph, of_graph in rewrites.items()
    }


def summarize_pack(report: Json) -> Json:
    """Summarize `pack --json`: rewrites, findings before and after, and the comparisons by graph and output."""
    before_after = report["inspection"] or {"before": [], "after": []}
    groups: dict[str, list[Group]] = {}
    for (_, runner, _, _), group in group_by_output(convert(report["comparisons"], list[Comparison])).items():
        groups.setdefault(f"{runner} {output_title(group)}", []).append(group)
    return {
        "rewrites": summarize_rewrites(report["rewrites"]),
        "findings before": _findings(before_after["before"]),
        "findings after": _findings(before_after["after"]),
        "assumptions": len(report["assumptions"]),
        "nodes": {each["graph"]: each["nodes"] for each in report["downloads"]},
        "comparisons": {
            key: {
                "verdicts": _count(group_verdict(group) for group in of_output),
                "objects": sum(matched_objects(group) or 0 for group in of_output),
                "near a threshold": sum(each.near_threshold for group in of_output for each in group),
                "on the fallback graph": sum(any(each.from_fallback for each in group) for group in of_output),
                "tolerance used": _rounded(max(each.tolerance_used for group in of_output for each in group)),
            }
            for key, of_output in sorted(groups.items())
        },
    }


def summarize_verification(report: Json) -> Json:
    """Summarize `verify --json`: the results of each backend, by stage and output."""
    return {
        "checks": _count(each["verdict"] for each in report["checks"]),
        "samples": {each["title"]: len(each["detections"]) for each in report["samples"]},
        "problems": _count(each["code"] for each in report["problems"]),
        "backends": {run["backend"]: _backend(run) for run in report["backends"]},
    }


def _backend(run: Json) -> Json:
    comparisons: dict[str, list[str]] = {}
    for result in run["results"]:
        for each in result["comparisons"]:
            key = f"{each['subject']['stage']} {compared(each)}"
            comparisons.setdefault(key, []).append(each["verdict"])
    return {
        "placements": {each["provider"]: each["count"] for each in run["placements"]},
        "warnings": _count(each["code"] for each in run["warnings"]),
        "problems": _count(each["code"] for each in run["problems"]),
        "near a threshold": sum(result["nearThreshold"] for result in run["results"]),
        "on the fallback graph": sum(bool(result["fallbackReason"]) for result in run["results"]),
        "objects": sum(len(result["detections"]) for result in run["results"]),
        "comparisons": {key: _count(verdicts) for key, verdicts in sorted(comparisons.items())},
    }


def _findings(findings: Iterable[Json]) -> dict[str, int]:
    return _count(f"{each['code']}, {each['severity']}, {each['outcome']}" for each in findings)


def _count(keys: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(keys).items()))


def _rounded(number: float) -> float:
    """Round to two significant digits."""
    return float(f"{number:.2g}")
