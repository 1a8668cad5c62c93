"""`webbuild serve`, interrupted."""

from __future__ import annotations

import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from tests.commands.program import webbuild
from webbuild.browser.server import Server

pytestmark = pytest.mark.posix


def hear_interrupts() -> None:
    """Restore the default SIGINT handler: a shell starts its background jobs with SIGINT ignored."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def test_prints_its_address_serves_and_ends_with_130(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("hello")
    process = subprocess.Popen(
        [sys.executable, "-m", "webbuild", "serve", str(tmp_path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=hear_interrupts,
    )
    try:
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        with urllib.request.urlopen(url, timeout=10) as answer:
            assert answer.read() == b"hello"
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=10)
    finally:
        process.kill()
        process.wait()
    assert (process.returncode, out) == (130, "")
    assert "Traceback" not in err
    assert "has no index.html" not in err


def test_a_folder_of_bundles_and_their_reports_is_served_with_a_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pose").mkdir()
    (tmp_path / "pose.verify.html").touch()
    monkeypatch.setattr(Server, "serve_forever", lambda _: None)
    assert "has no index.html" in webbuild("serve", tmp_path).stderr
