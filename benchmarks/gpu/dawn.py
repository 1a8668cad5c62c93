"""One job in its own Node process, on Dawn's WebGPU: its result, or how it ended. Standard library only."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

NVIDIA_ICD = Path("/usr/local/nvidia/share/vulkan/icd.d/nvidia_icd.json")
"""Vulkan driver manifest of NVIDIA's containers, in a folder that the Vulkan loader does not search."""
_COMPLAINT = re.compile(
    r"WebGPU.*(error|invalid)|Uncaptured|\[Invalid \w+|[Dd]evice (was|is) lost|Error while parsing WGSL"
)
"""Messages of Dawn or the engine that make a run's outputs invalid, although it did not fail."""
_MOST = 300
"""Longest message, in characters."""


def run_job(folder: Path, job: Mapping[str, Any], seconds: float) -> dict[str, Any]:
    """Run a job; the result has `adapter`, and `measured` or `error`."""
    command = [_node(folder), "--no-warnings", str(folder / "main.mjs")]
    try:
        ended = subprocess.run(
            command,
            input=json.dumps(job),
            env=_environment(folder),
            capture_output=True,
            text=True,
            errors="replace",
            timeout=max(seconds, 1),
            check=False,
        )
    except subprocess.TimeoutExpired:
        return {"error": f"no answer in {seconds:.0f} s"}
    answer: dict[str, Any] = {}
    for line in ended.stdout.splitlines():
        if line.startswith("@"):
            answer |= json.loads(line[1:])
    said = f"{ended.stdout}\n{ended.stderr}"
    complaint = next((line for line in said.splitlines() if not line.startswith("@") and _COMPLAINT.search(line)), "")
    if complaint and "measured" in answer:
        answer = {"adapter": answer["adapter"], "error": complaint}
    if "measured" not in answer and "error" not in answer and job["kind"] != "adapter":
        last = ended.stderr.strip().splitlines()[-1:] or ["it said nothing"]
        answer["error"] = f"Node ended with {ended.returncode}: {last[0]}"
    if "error" in answer:
        answer["error"] = " ".join(str(answer["error"]).split())[:_MOST]
    return answer


def node_version(folder: Path) -> str:
    """Return the version of the Node that runs the jobs."""
    return subprocess.run([_node(folder), "--version"], capture_output=True, text=True, check=True).stdout.strip()


def _node(folder: Path) -> str:
    carried = folder / "node"
    found = str(carried) if carried.exists() else shutil.which("node")
    if found is None:
        raise FileNotFoundError("no node on the PATH; install Node.js 20, or prepare with --bare, which carries it")
    return found


def _environment(folder: Path) -> dict[str, str]:
    """Return this process's environment, plus the archive's Vulkan loader and NVIDIA's driver if they exist."""
    variables = dict(os.environ)
    if (folder / "lib").is_dir():
        paths = (str(folder / "lib"), variables.get("LD_LIBRARY_PATH", ""))
        variables["LD_LIBRARY_PATH"] = os.pathsep.join(filter(None, paths))
    if NVIDIA_ICD.exists() and not {"VK_DRIVER_FILES", "VK_ICD_FILENAMES"} & variables.keys():
        variables["VK_DRIVER_FILES"] = str(NVIDIA_ICD)
    return variables
