"""The commands: help, exit codes, one error with its fix, stdout for data only."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import click
import onnx_ir as ir
import pytest

from tests.commands.program import POSE, command, webbuild
from tests.models import parsed, save
from webbuild import __version__
from webbuild.bisect.codes import EXPLANATIONS
from webbuild.cli import cli
from webbuild.commands import explain
from webbuild.inspection.rules.base import all_rules
from webbuild.passes.registry import all_passes
from webbuild.targets import jsep
from webbuild.tasks.registry import task_kinds


def test_help_lists_every_command() -> None:
    done = webbuild("--help")
    assert done.code == 0
    for name in ("pack", "inspect", "verify", "serve", "explain"):
        assert f"\n  {name}" in done.stdout
    summaries = " ".join(done.stdout.partition("Commands:")[2].split())
    assert "..." not in summaries, "cut off"
    assert "the node that makes a backend give other results, throw, or fail to create a session." in summaries


@pytest.mark.parametrize("name", cli.list_commands(click.Context(cli)))
def test_every_command_helps_with_an_example(name: str) -> None:
    done = webbuild(name, "--help")
    assert done.code == 0
    assert f"Example: webbuild {name}" in done.stdout


def test_every_task_may_be_asked_for() -> None:
    (task,) = (option for option in command("pack").params if option.name == "task")
    assert isinstance(task.type, click.Choice)
    assert set(task.type.choices) == set(task_kinds())


@pytest.mark.parametrize("name", cli.list_commands(click.Context(cli)))
def test_every_option_says_what_it_is_for(name: str) -> None:
    for parameter in command(name).params:
        if isinstance(parameter, click.Option):
            assert parameter.help, parameter.name


def test_the_version_is_told() -> None:
    assert webbuild("--version").stdout == f"webbuild, version {__version__}\n"


def test_the_package_runs_as_a_module() -> None:
    done = subprocess.run((sys.executable, "-m", "webbuild", "--version"), capture_output=True, text=True, check=True)
    assert done.stdout == f"webbuild, version {__version__}\n"


@pytest.mark.parametrize(
    "arguments", [["nonsense"], ["pack"], ["pack", "m.onnx", "--nonsense"], ["pack", "m.onnx", "--task", "poem"]]
)
def test_a_call_that_makes_no_sense_exits_with_2(arguments: list[str]) -> None:
    done = webbuild(*arguments)
    assert done.code == 2
    assert "Error" in done.stderr
    assert done.stdout == ""


def test_a_model_that_is_not_there_exits_with_2(tmp_path: Path) -> None:
    done = webbuild("pack", tmp_path / "m.onnx", "-o", tmp_path / "out", "--no-verify")
    assert (done.code, done.error, done.stdout) == (2, "model-not-found", "")


def test_a_model_that_is_not_there_is_said_before_its_bundle_that_is(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "manifest.json").write_text("{}")
    done = webbuild("pack", tmp_path / "m.onnx", "-o", tmp_path / "out")
    assert (done.code, done.error) == (2, "model-not-found")


def test_a_model_that_is_broken_exits_with_1_and_another_file_with_2(tmp_path: Path) -> None:
    (tmp_path / "m.onnx").write_bytes(b"\x08\x08")
    done = webbuild("pack", tmp_path / "m.onnx", "-o", tmp_path / "out", "--no-verify")
    assert (done.code, done.error) == (1, "not-onnx")
    (tmp_path / "m.onnx").write_bytes(b"hello")
    done = webbuild("pack", tmp_path / "m.onnx", "-o", tmp_path / "out", "--no-verify")
    assert (done.code, done.error) == (2, "not-onnx"), "another file is a slip of who called"
    assert [path.name for path in tmp_path.iterdir()] == ["m.onnx"]


def test_an_existing_folder_stops_before_anything_is_read(tmp_path: Path) -> None:
    (tmp_path / "m.onnx").write_bytes(b"hello")
    done = webbuild("pack", tmp_path / "m.onnx", "-o", tmp_path, "--no-verify")
    assert (done.code, done.error) == (2, "output-exists")


def test_a_size_that_is_missing_is_asked_for(tmp_path: Path) -> None:
    text = """<ir_version: 8, opset_import: ["" : 18]> g (float[1,width] x) => (float[1,77] y) <int64[2] to = {1, 77}>
      { y = Reshape (x, to) }"""
    path = save(parsed(text), tmp_path / "m.onnx")
    done = webbuild("pack", path, "-o", tmp_path / "out", "--no-verify")
    assert (done.code, done.error) == (2, "unknown-dimension")
    assert "--dim width=640" in done.stderr


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_a_dry_run_writes_nothing(tmp_path: Path, options: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = webbuild("pack", POSE, "--dry-run", *options)
    assert done.code == 0
    assert list(tmp_path.iterdir()) == []
    assert "runtime-nms" in done.stdout
    if options:
        rewrites = json.loads(done.stdout)["rewrites"]
        assert {rewrite["code"] for rewrite in rewrites["webgpu"]} > {"runtime-nms", "promote-thresholds"}
        assert done.stderr == ""


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (KeyboardInterrupt(), 130),
        (ValueError("a\x1b[31mb\nc"), 3),
        (FileNotFoundError(2, "No such file", "ours"), 3),
        (MemoryError(), 2),
        (PermissionError(13, "Permission denied", "/there"), 2),
        (OSError(24, "Too many open files"), 2),
    ],
)
def test_an_interruption_and_a_bug_have_their_own_exit_codes(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, error: BaseException, code: int
) -> None:
    def fail(_: object) -> int:
        node = ir.node("Relu", [ir.Value(name="x")], name="third", outputs=[ir.Value(name="y")])
        click.echo(node.name)
        raise error

    monkeypatch.setattr(explain, "run", fail)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    done = webbuild("explain", "a b")
    assert (done.code, done.stdout) == (code, "third\n"), "what was written before stays"
    assert "\x1b" not in done.stderr
    assert "Traceback" not in done.stderr
    if code == 2:
        assert done.error in ("out-of-memory", "cannot-write")
    reports = list(tmp_path.glob("webbuild-bug-*.txt"))
    assert len(reports) == (code == 3)
    for report in reports:
        assert done.error == "bug"
        assert f"please report it, with {report}" in done.stderr
        text = report.read_text()
        assert "command: webbuild explain 'a b'" in text
        assert f"webbuild {__version__}" in text
        assert "node: Relu 'third'" in text
        assert "onnx.utils.extract_model" in text
        assert "Traceback" in text


def test_explain_lists_the_passes_and_the_findings_and_tells_of_each() -> None:
    lines = webbuild("explain").stdout.splitlines()
    assert [line for line in lines if not line.endswith((".", ":"))] == [], "half a sentence"
    listing = [line.split()[0] for line in lines]
    passes, searched = sorted(kind.code for kind in all_passes()), sorted(EXPLANATIONS)
    findings = sorted([*(rule.code for rule in all_rules()), jsep.CODE])
    expected = ["passes:", *passes, "findings:", *findings, "bisect:", *searched]
    assert listing[: len(expected)] == expected
    assert listing[len(expected)] == "errors,"
    for code in (*passes, *findings, *searched):
        done = webbuild("explain", code)
        assert done.code == 0
        assert done.stdout.startswith(code)
        assert len(done.stdout) > 150


@pytest.mark.posix
@pytest.mark.parametrize("arguments", [["explain"], ["explain", "static-nms"], ["targets"]], ids=" ".join)
def test_a_closed_stdout_is_no_bug(arguments: list[str]) -> None:
    command = [sys.executable, "-m", "webbuild", *arguments]
    done = subprocess.run(command, stderr=subprocess.PIPE, preexec_fn=lambda: os.close(1), check=False)
    assert (done.returncode, done.stderr) == (0, b"")


def test_explaining_what_there_is_not_says_where_to_look() -> None:
    done = webbuild("explain", "nonsense\x1b[31m")
    assert (done.code, done.error) == (2, "unknown-code")
    assert "webbuild explain" in done.stderr
    assert "\x1b" not in done.stderr


def test_a_code_is_found_in_any_case() -> None:
    assert webbuild("explain", "STATIC-NMS") == webbuild("explain", "static-nms")


@pytest.mark.parametrize(
    ("asked", "meant"),
    [("static-mns", "static-nms"), ("deform", "decompose-deform-conv"), ("Static_NMS", "static-nms")],
)
def test_a_code_that_is_misspelt_or_a_part_names_the_nearest(asked: str, meant: str) -> None:
    done = webbuild("explain", asked)
    assert (done.code, done.error) == (2, "unknown-code")
    assert f"did you mean {meant}" in done.stderr


def test_a_file_name_with_control_characters_is_written_out(tmp_path: Path) -> None:
    done = webbuild("pack", tmp_path / "\x1b[31mred.onnx", "-o", tmp_path / "out", "--no-verify")
    assert "\\x1b[31mred" in done.stderr
    assert "\x1b" not in done.stderr
