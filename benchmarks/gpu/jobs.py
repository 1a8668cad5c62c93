"""The jobs of a plan: Node's measurements, and the text of their rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

FRAME = (1920, 1080)
ANCHORS, COLUMNS = 8400, 56
"""Output shape of a YOLO pose model of 640 x 640."""
PATHS = {"cpu": "by the CPU, uploaded", "texture": "by a shader, from a texture", "external": "from a VideoFrame"}
PLACES = {"shader": "in the runtime's shader", "cpu": "on the CPU", "graph": "in the graph"}


@dataclass(frozen=True)
class RunCounts:
    """Timed runs, warm-up runs, and the milliseconds after which no further run begins."""

    runs: int = 50
    warming: int = 5
    limit: float = 6000.0

    def fields(self) -> dict[str, float]:
        """Return them as the fields of a job."""
        return {"runs": self.runs, "warming": self.warming, "limit": self.limit}


def model_jobs(
    name: str,
    weights: str,
    case: dict[str, Any],
    counts: RunCounts,
    *,
    captures: tuple[bool, ...] = (False, True),
    suppression: str | None = None,
) -> list[dict[str, Any]]:
    """Return runs of a graph, without graph capture and, if all nodes are on the GPU, with it.

    If the graph ends before NMS, NMS runs in the shader and, in a job without capture, on the CPU.
    """
    places = [suppression] if suppression else ["shader", "cpu"] if "suppression" in case["graph"] else [None]
    jobs = []
    for place in places:
        for capture in captures if case["graph"]["allOnGpu"] and place != "cpu" else (False,):
            what = "run, captured" if capture else "run"
            fields = {"kind": "model", "case": case, "capture": capture, "suppression": place or "graph"}
            jobs.append(_job(name, weights, f"{what}, suppression {PLACES[place]}" if place else what, fields, counts))
    return jobs


def frame_jobs(name: str, case: dict[str, Any], counts: RunCounts) -> list[dict[str, Any]]:
    """Return jobs that preprocess a frame on each path; none unless the model takes one picture."""
    if not any(each["kind"] == "image" and each["dtype"] == "float32" for each in case["inputs"]):
        return []
    width, height = FRAME
    return [
        _job(
            name,
            "-",
            f"input of a {height}p frame {words}",
            {"kind": "frame", "case": case, "width": width, "height": height, "on": path},
            counts,
        )
        for path, words in PATHS.items()
        if path != "external"  # Only browsers have VideoFrame: `python -m benchmarks.video_frames`
    ]


def suppression_jobs(counts: RunCounts) -> list[dict[str, Any]]:
    """Return jobs of NMS alone, for as many boxes as a model of 640 x 640 has."""
    return [
        _job(
            f"{ANCHORS} random boxes",
            "-",
            f"suppression {PLACES[place]}",
            {"kind": "suppression", "anchors": ANCHORS, "columns": COLUMNS, "on": place},
            counts,
        )
        for place in ("shader", "cpu")
    ]


def _job(model: str, weights: str, what: str, fields: dict[str, Any], counts: RunCounts) -> dict[str, Any]:
    about = {"model": model, "weights": weights, "what": what}
    return {"about": about, "job": {**fields, **counts.fields()}}
