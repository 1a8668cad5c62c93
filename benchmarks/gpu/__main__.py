"""Measure WebGPU on this machine, and write one JSON file: needs only Node.js 20 and the archive.

python -m benchmarks.gpu.prepare build/gpu.tar.xz      # on a machine with the project
python -m benchmarks.gpu gpu.json                      # on the machine with the GPU; standard library only
python -m benchmarks.gpu.render gpu.json --write       # into docs/gpu.md
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.gpu import archive
from benchmarks.gpu.dawn import node_version, run_job
from benchmarks.gpu.rows import result_row
from webbuild.browser.gpu_adapter import is_software

SECONDS = 540.0
JOB_SECONDS = 90.0
"""Time limit of one job in seconds, including its start and its session."""
SOFTWARE_JOB_SECONDS = 540.0
"""The same on a software adapter: lavapipe compiles some float16 kernels for several seconds each."""


def measure(
    folder: Path, plan: dict[str, Any], seconds: float, out: Path, job_seconds: float | None = None
) -> dict[str, Any]:
    """Run every job of an unpacked archive, and write the rows to `out` after each. A failed job is a row too."""
    end = time.monotonic() + seconds
    probe = run_job(folder, {"kind": "adapter"}, job_seconds or JOB_SECONDS)
    adapter = (probe.get("adapter") or {}).get("adapter")
    software = is_software(" ".join((adapter or {}).values()))
    limit = job_seconds or (SOFTWARE_JOB_SECONDS if software else JOB_SECONDS)
    result: dict[str, Any] = {
        "adapter": adapter,
        "features": (probe.get("adapter") or {}).get("features", []),
        "software": software,
        "driver": _driver(),
        "machine": {"platform": platform.platform(), "processors": os.cpu_count(), "node": node_version(folder)},
        "prepared": plan["prepared"],
        "error": probe.get("error"),
        "rows": [],
    }
    for entry in plan["jobs"]:
        left = end - time.monotonic()
        if adapter is None:
            answer = {"error": probe.get("error", "no WebGPU adapter")}
        elif left < 1:
            answer = {"error": f"not run: {seconds:.0f} s were over"}
        else:
            answer = run_job(folder, entry["job"], min(limit, left))
        row = result_row(entry["about"], answer)
        result["rows"].append(row)
        out.write_text(json.dumps(result, indent=1) + "\n", "utf-8")
        print(_line(row), file=sys.stderr, flush=True)
    return result


def _line(row: dict[str, Any]) -> str:
    name = " ".join(str(row[part]) for part in ("model", "weights", "what"))
    figures = f"{row['median']:.2f} ms, {row['kernels']} kernels" if "median" in row else ""
    return f"{name}: {row['status']} {figures} {row['message']}".rstrip()


def _driver() -> str:
    """Return the name and the driver of an NVIDIA GPU; empty for others, which Dawn's description names."""
    if shutil.which("nvidia-smi") is None:
        return ""
    asked = ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]
    return subprocess.run(asked, capture_output=True, text=True, check=False).stdout.strip()


def main(arguments: list[str] | None = None) -> int:
    """Measure. Returns 1 if a row is wrong or an error, or if there is no row."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path, metavar="OUT")
    parser.add_argument("--archive", type=Path, default=archive.DEFAULT, help="[default: %(default)s]")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="limit of all jobs [default: %(default)g]")
    parser.add_argument(
        "--job-seconds",
        type=float,
        help=f"limit for one job [default: {JOB_SECONDS:g}, on a software adapter {SOFTWARE_JOB_SECONDS:g}]",
    )
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="webbuild-gpu-") as name:
        plan = archive.unpack(options.archive, Path(name))
        result = measure(Path(name), plan, options.seconds, options.out, options.job_seconds)
    if result["software"]:
        print("Only a software adapter was found: these times say nothing about a GPU.", file=sys.stderr)
    return 0 if result["rows"] and all(row["status"] == "right" for row in result["rows"]) else 1


if __name__ == "__main__":
    sys.exit(main())
