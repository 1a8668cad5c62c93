"""Written text has the same bytes on every system."""

from __future__ import annotations

import ast
import io
import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import webbuild
from tests.models import parsed, save
from webbuild.reporting.write import print_json, shell_quote, write_text

SOURCES = sorted(Path(webbuild.__file__).parent.rglob("*.py"))


def test_lines_end_in_a_line_feed(tmp_path: Path) -> None:
    write_text(tmp_path / "a", "ä\nb\n")
    assert (tmp_path / "a").read_bytes() == "ä\nb\n".encode()


@pytest.mark.posix
@pytest.mark.parametrize("name", ["dist/yolo-pose", "my app", "größe/it's $HOME"])
def test_a_path_in_a_command_line_is_one_word(name: str) -> None:
    assert shlex.split(f"webbuild serve {shell_quote(Path(name))}") == ["webbuild", "serve", name]
    assert (shell_quote(Path(name)) == name) == (name == "dist/yolo-pose")


@pytest.mark.parametrize("file", SOURCES, ids=lambda file: file.name)
def test_no_text_is_written_with_the_line_ends_of_the_system(file: Path) -> None:
    calls = [node for node in ast.walk(ast.parse(file.read_text("utf-8"))) if isinstance(node, ast.Call)]
    written = [each for each in calls if isinstance(each.func, ast.Attribute) and each.func.attr == "write_text"]
    assert [each.lineno for each in written if "newline" not in {key.arg for key in each.keywords}] == []


@pytest.mark.parametrize("encoding", ["utf-8", "cp1252", "ascii"])
def test_json_is_whole_whatever_stdout_can_take(encoding: str, monkeypatch: pytest.MonkeyPatch) -> None:
    stdout = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    monkeypatch.setattr(sys, "stdout", stdout)
    print_json({"class": "Größe → 😀", "n": 1.5})
    stdout.flush()
    assert isinstance(stdout.buffer, io.BytesIO)
    text = stdout.buffer.getvalue().decode(encoding)
    assert json.loads(text) == {"class": "Größe → 😀", "n": 1.5}


def test_a_console_without_utf_8_gets_text_and_no_traceback(tmp_path: Path) -> None:
    model = parsed("""<ir_version: 8, opset_import: ["" : 17]> g (float[2] x) => (float[2] y) { y = Relu(x) }""")
    model.graph.node[0].name = "größe"
    path = save(model, tmp_path / "größe.onnx")
    command = [sys.executable, "-m", "webbuild", "inspect", str(path), "--json"]
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = subprocess.run(command, capture_output=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["model"] == "größe.onnx"
    done = subprocess.run(command[:-1], capture_output=True, env=environment, check=False)
    assert (done.returncode, b"Traceback" in done.stderr) == (0, False)
    assert b"gr??e.onnx" in done.stdout
