"""The time of packing, and its peak memory above the memory of the imports."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

from msgspec import Struct

_PROGRAM = """
import json, resource, sys, time
import onnx, onnx_ir, onnxruntime, onnxscript.optimizer, PIL.Image
import webbuild.commands.pack
from webbuild.cli import cli
from webbuild.passes.registry import all_passes
all_passes()
peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
held = peak()
begin = time.perf_counter()
try:
    cli(["pack", sys.argv[1], "-o", sys.argv[2], "--no-verify", "--no-cache", "--force"], standalone_mode=False)
except SystemExit as ended:
    code = ended.code
print(json.dumps([code, time.perf_counter() - begin, peak() - held]))
"""


_ALONE = """
import resource, sys
import numpy, onnxruntime
from pathlib import Path
from webbuild.runners.native import NativeRunner
peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
held = peak()
runner = NativeRunner(Path(sys.argv[1]))
feeds = {i.name: numpy.full(i.shape, 0.4, numpy.float32) for i in runner._open().get_inputs()}
runner.run(feeds)
print(peak() - held)
"""


class PackCost(Struct, frozen=True):
    """Seconds from call to return, the model's bytes, and the peak memory above the imports."""

    seconds: float
    model: int
    memory: int


def measure(model: Path, bundle: Path) -> PackCost:
    """Pack into `bundle` without verification, in a separate process."""
    ran = subprocess.run([sys.executable, "-c", _PROGRAM, model, bundle], capture_output=True, text=True, check=False)
    if ran.returncode:
        raise RuntimeError(ran.stderr)
    code, seconds, memory = json.loads(ran.stdout.splitlines()[-1])
    if code:
        raise RuntimeError(f"pack ended with {code}: {ran.stderr}")
    return PackCost(seconds, model.stat().st_size, memory)


def native_peak(model: Path) -> int:
    """Return the peak memory in bytes, above the imports, of one native session and run of the export."""
    ran = subprocess.run([sys.executable, "-c", _ALONE, model], capture_output=True, text=True, check=True)
    return int(ran.stdout)


def help_seconds(times: int = 15) -> float:
    """Return the median time of `webbuild --help`, started as from a shell."""
    program = Path(sys.executable).with_name("webbuild")
    taken = []
    for _ in range(times):
        begin = time.perf_counter()
        subprocess.run([program, "--help"], check=True, capture_output=True)
        taken.append(time.perf_counter() - begin)
    return sorted(taken)[times // 2]
