"""`--limit-memory` and `--limit-time`: a command and its child processes end within them, and leave no files."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from onnx.helper import make_node

from tests import hostile
from tests.commands.program import Done, hashes
from tests.models import HEADER, convolution, parsed, save
from webbuild.bundle.staging import PARTIAL_LIST, make_partial, remove_partial

pytestmark = [pytest.mark.skipif(sys.platform != "linux", reason="limits of memory are Linux's"), pytest.mark.posix]

ENDLESS = parsed(f"""{HEADER} g (float[2] x) => (float[2] y) <int64 n = {{{2**62}}}, bool t = {{1}}>
{{ y = Loop (n, t, x) <body = b (int64 i, bool c, float[2] a) => (bool d, float[2] e)
   {{ d = Identity (c) e = Add (a, a) }}> }}""")
HUGE = hostile.graph(
    make_node("ConstantOfShape", ["w"], ["c"]),
    make_node("ReduceSum", ["c"], ["r"], keepdims=0),
    make_node("Add", ["x", "r"], ["y"]),
    weights=[hostile.weight_of(3 << 28)],
)
"""A few bytes that expand to 3 GiB."""


def limited(path: Path, *options: str) -> Done:
    """Pack a model in a child process, since the limits are per process."""
    out = str(path.parent / "out")
    command = [sys.executable, "-m", "webbuild", "pack", str(path), "-o", out, "--no-verify", *options]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    return Done(done.returncode, done.stdout, done.stderr)


def temporary_folders() -> set[Path]:
    return set(Path(os.environ.get("TMPDIR", "/tmp")).glob("webbuild-limited-*"))


def test_a_loop_without_an_end_is_ended_in_time(tmp_path: Path) -> None:
    before = temporary_folders()
    done = limited(save(ENDLESS, tmp_path / "m.onnx"), "--limit-time", "12")
    assert (done.code, done.error) == (1, "time-limit-reached"), done.stderr
    assert "12 seconds" in done.stderr
    assert [each.name for each in tmp_path.iterdir()] == ["m.onnx"]
    assert temporary_folders() <= before


def test_a_model_that_unfolds_is_ended_before_it_has_the_memory(tmp_path: Path) -> None:
    done = limited(save(HUGE, tmp_path / "m.onnx"), "--limit-memory", "1", "--limit-time", "100")
    assert (done.code, done.error) == (1, "memory-limit-reached"), done.stderr
    assert "1 GiB" in done.stderr
    assert [each.name for each in tmp_path.iterdir()] == ["m.onnx"]


def test_a_model_within_the_limits_packs_as_without(tmp_path: Path) -> None:
    path = save(convolution(), tmp_path / "m.onnx")
    assert limited(path).code == 0
    plain = hashes(tmp_path / "out")
    done = limited(path, "--force", "--limit-memory", "4", "--limit-time", "100")
    assert (done.code, done.stdout) == (0, ""), done.stderr
    assert hashes(tmp_path / "out") == plain


def test_a_terminated_command_ends_its_limited_process(tmp_path: Path) -> None:
    path = save(ENDLESS, tmp_path / "m.onnx")
    command = [sys.executable, "-m", "webbuild", "pack", str(path), "-o", str(tmp_path / "out"), "--limit-time", "100"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    until = time.monotonic() + 60
    while time.monotonic() < until:
        time.sleep(0.2)
        started = children.read_text().split()
        if any(b"WEBBUILD_LIMITED_BY" in Path("/proc", each, "environ").read_bytes() for each in started):
            break
    time.sleep(0.5)  # until the parent waits for it
    process.terminate()
    assert process.communicate(timeout=60)[1].splitlines()[-1] == "interrupted"
    assert process.returncode == 130
    assert not any(Path("/proc", each).exists() for each in started)


def test_an_error_of_the_command_is_said_once(tmp_path: Path) -> None:
    done = limited(save(hostile.relu(opset=99), tmp_path / "m.onnx"), "--limit-time", "100")
    assert (done.code, done.error) == (1, "unsupported-opset")


TREE = """
import subprocess, sys, time
from webbuild.commands.process_tree import adopt_orphans, descendants, end_tree, private_bytes
adopt_orphans()
holds = "import time; x = bytearray(64 << 20); time.sleep(600)"
start = f"subprocess.Popen([sys.executable, '-c', {holds!r}], start_new_session=True)"
leave = f"import signal, subprocess, sys, time; {sys.argv[1]}; {start}; {sys.argv[2]}"
child = subprocess.Popen([sys.executable, "-c", leave], start_new_session=True)
until = time.monotonic() + 60
while private_bytes() < 64 << 20:
    assert time.monotonic() < until
    time.sleep(0.05)
end_tree(child, float(sys.argv[3]))
print(descendants(), child.returncode)
"""

HEARS = "signal.signal(signal.SIGINT, signal.default_int_handler)"
"""A shell starts its background jobs, including these tests, with SIGINT ignored."""


@pytest.mark.parametrize(
    ("first", "then", "grace", "code"),
    [
        (HEARS, "time.sleep(600)", 60, -2),
        (HEARS, "pass", 60, 0),
        ("signal.signal(signal.SIGINT, signal.SIG_IGN)", "time.sleep(600)", 1, -9),
    ],
    ids=["that waits", "that has left it behind", "that hears no interrupt"],
)
def test_what_a_process_started_in_another_session_ends_with_it(first: str, then: str, grace: int, code: int) -> None:
    tree = [sys.executable, "-c", TREE, first, then, str(grace)]
    done = subprocess.run(tree, capture_output=True, text=True, timeout=100, check=False)
    assert done.stdout == f"[] {code}\n", done.stderr


def test_what_a_killed_process_was_writing_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    listed = tmp_path / "list"
    monkeypatch.setenv(PARTIAL_LIST, str(listed))
    folders = [make_partial("öut\udcff", tmp_path), make_partial("two\nlines", tmp_path)]
    assert all(folder.is_dir() for folder in folders)
    remove_partial(listed)
    assert list(tmp_path.iterdir()) == [listed]
    remove_partial(tmp_path / "none")


def test_a_folder_of_models_imports_nothing_that_lies_in_it(tmp_path: Path) -> None:
    """An untrusted folder may contain a `numpy.py`: a child process must not import from that folder."""
    save(convolution(), tmp_path / "a.onnx")
    save(convolution(seed=1), tmp_path / "b.onnx")
    for name in ("numpy.py", "webbuild.py", "msgspec.py"):
        (tmp_path / name).write_text("open('ran', 'w')")
    program = Path(sys.executable).with_name("webbuild")
    for command in (["patch", "a.onnx", "b.onnx"], ["inspect", "a.onnx", "--limit-time", "100"]):
        done = subprocess.run(
            [program, *command], cwd=tmp_path, capture_output=True, text=True, timeout=100, check=False
        )
        assert done.returncode == 0, done.stderr
    assert not (tmp_path / "ran").exists()
