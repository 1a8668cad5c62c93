"""Ctrl-C at any moment of packing: no partial files are left, and existing files stay."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.commands.program import hashes, pack
from tests.commands.stopped import interrupt, start
from tests.models import convolution, save
from webbuild.ortweb import packaged_assets

pytestmark = [pytest.mark.usefixtures("stand_in"), pytest.mark.posix]

PLACES = {
    "load": "webbuild.commands.pack_plan:load_onnx",
    "plan": "webbuild.compile.plan_graphs:lower",
    "write the graphs": "webbuild.compile.prove:write_graphs",
    "prove": "webbuild.compile.prove:check_with_detections",
    "write the bundle": "webbuild.commands.pack_bundle:write_bundle",
    "seal it": "webbuild.commands.pack_bundle:write_manifest",
    "open it to verify it": "webbuild.verify.verify:open_bundle",
    "the reference": "webbuild.verify.variant_reference:run_reference",
}


@pytest.mark.parametrize("place", list(PLACES.values()), ids=list(PLACES))
def test_an_interrupt_leaves_the_bundle_that_was_there_and_nothing_else(tmp_path: Path, place: str) -> None:
    path = save(convolution(), tmp_path / "m.onnx")
    pack(path)
    before = hashes(tmp_path / "out")
    save(convolution(seed=1), path)
    process = start(place, packaged_assets.WEB_ROOT, "pack", path, "-o", tmp_path / "out", "--force")
    said = interrupt(process)
    assert process.returncode == 130
    assert said.splitlines()[-1] == "interrupted"
    assert "Traceback" not in said
    assert hashes(tmp_path / "out") == before
    assert {beside.name for beside in tmp_path.iterdir()} == {"m.onnx", "out"}


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_termination_and_a_closed_terminal_are_interrupts(tmp_path: Path, name: str) -> None:
    path = save(convolution(), tmp_path / "m.onnx")
    process = start(PLACES["seal it"], packaged_assets.WEB_ROOT, "pack", path, "-o", tmp_path / "out")
    said = interrupt(process, getattr(signal, name))
    assert (process.returncode, said.splitlines()[-1]) == (130, "interrupted")
    assert [beside.name for beside in tmp_path.iterdir()] == ["m.onnx"]


def test_nohup_keeps_a_command_running(tmp_path: Path) -> None:
    path = save(convolution(), tmp_path / "m.onnx")
    ignore = "import os, signal, sys; signal.signal(signal.SIGHUP, signal.SIG_IGN); os.execv(sys.argv[1], sys.argv[1:])"
    command = [sys.executable, "-c", ignore, sys.executable, "-m", "webbuild"]
    process = subprocess.Popen([*command, "pack", path, "-o", tmp_path / "out", "--no-verify"])
    until = time.monotonic() + 60
    while not list(tmp_path.glob(".out.*")) and process.poll() is None and time.monotonic() < until:
        time.sleep(0.01)
    process.send_signal(signal.SIGHUP)
    assert process.wait(60) == 0


def test_without_an_interrupt_the_new_bundle_is_another(tmp_path: Path) -> None:
    path = save(convolution(), tmp_path / "m.onnx")
    pack(path)
    before = hashes(tmp_path / "out")
    save(convolution(seed=1), path)
    pack(path, "--force")
    assert hashes(tmp_path / "out") != before


def test_an_interrupt_of_the_first_imports_prints_no_traceback() -> None:
    code = """
import runpy, sys
class Interrupting:
    def find_spec(self, name, path=None, target=None):
        if name == "webbuild.cli":
            raise KeyboardInterrupt
sys.meta_path.insert(0, Interrupting())
runpy.run_module("webbuild", run_name="__main__")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")
