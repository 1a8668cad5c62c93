"""`webbuild verify` when the machine, not the bundle, is at fault, and when it is interrupted."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import uuid
from pathlib import Path

from e2e.conftest import WEBBUILD, Webbuild

WITHOUT_GPU = """
import webbuild.browser.open_browser as module
open_chromium = module.open_chromium
module.open_chromium = lambda **options: open_chromium(**{**options, "webgpu": False})
from webbuild.cli import main
main()
"""


def test_no_adapter_is_an_error_with_a_mend(bundle: Path) -> None:
    command = [sys.executable, "-c", WITHOUT_GPU, "verify", str(bundle), "--backend", "webgpu", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert "error[no-adapter] chromium: no WebGPU adapter" in done.stderr
    assert "--backend wasm" in done.stderr


def test_no_chromium_is_an_error_with_a_mend(bundle: Path) -> None:
    environment = {**os.environ, "WEBBUILD_CHROMIUM": "/nowhere/chromium"}
    command = [*WEBBUILD, "verify", str(bundle), "--backend", "wasm"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False, env=environment)
    assert done.returncode == 2
    assert "error[no-chromium]" in done.stderr


def test_an_interrupt_leaves_no_process_behind(bundle: Path) -> None:
    mark = f"WEBBUILD_TEST_MARK={uuid.uuid4()}"
    name, value = mark.split("=")
    process = subprocess.Popen(
        [*WEBBUILD, "verify", str(bundle), "--backend", "wasm"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, name: value},
        start_new_session=True,
        preexec_fn=hear_interrupts,
    )
    try:
        wait_for(lambda: len(marked(mark)) > 4)
        os.killpg(process.pid, signal.SIGINT)
        _, err = process.communicate(timeout=300)
    finally:
        process.kill()
    assert process.returncode == 130
    assert "Traceback" not in err
    wait_for(lambda: not marked(mark))


def test_an_interrupt_while_packing_keeps_the_bundle_that_was_there(webbuild: Webbuild, tmp_path: Path) -> None:
    out, model = tmp_path / "out", str(Path(__file__).parents[1] / "web" / "test" / "fixture" / "model" / "wasm.onnx")
    assert webbuild("pack", model, "-o", out, "--no-verify").returncode == 0
    manifest = (out / "manifest.json").stat()
    mark = f"WEBBUILD_TEST_MARK={uuid.uuid4()}"
    name, value = mark.split("=")
    process = subprocess.Popen(
        [*WEBBUILD, "pack", model, "-o", str(out), "--force"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, name: value},
        start_new_session=True,
        preexec_fn=hear_interrupts,
    )
    try:
        wait_for(lambda: len(marked(mark)) > 4)
        os.killpg(process.pid, signal.SIGINT)
        _, err = process.communicate(timeout=300)
    finally:
        process.kill()
    assert process.returncode == 130
    assert err.splitlines()[-1] == "interrupted"
    wait_for(lambda: not marked(mark))
    assert (out / "manifest.json").stat() == manifest
    assert [beside.name for beside in tmp_path.iterdir()] == ["out"]


def hear_interrupts() -> None:
    """Restore the default SIGINT handler: a shell starts its background jobs with SIGINT ignored."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def wait_for(condition: object, seconds: float = 300) -> None:
    assert callable(condition)
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.1)


def marked(mark: str) -> list[str]:
    """Return the processes that have this mark in their environment, whatever their names."""
    found = []
    for folder in Path("/proc").iterdir():
        try:
            if folder.name.isdigit() and mark.encode() in (folder / "environ").read_bytes().split(b"\0"):
                found.append(folder.name)
        except OSError:
            continue
    return found
