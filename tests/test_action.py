"""The script of the GitHub Action, with a stand-in for webbuild: the calls, the output files, the exit codes."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.posix

ROOT = Path(__file__).parents[1]
STAND_IN = f"""#!{sys.executable}
import json, os, pathlib, sys
command, *arguments = sys.argv[1:]
with open("calls.jsonl", "a") as calls:
    print(json.dumps([sys.argv[1:], os.environ.get("WEBBUILD_GPU", "")]), file=calls)
after = lambda name: pathlib.Path(arguments[arguments.index(name) + 1])
print("said by", command, file=sys.stderr)
code = int(os.environ.get(f"{{command.upper()}}_CODE", "0"))
if command == "pack" and code == 0:
    after("-o").mkdir(parents=True)
    (after("-o") / "report.html").write_text("<p>")
if command == "verify" and code != 2:
    after("--markdown").write_text("### model: same results\\n")
    print('{{"backends": []}}')
sys.exit(code)
"""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "webbuild").write_text(STAND_IN, "utf-8")
    (tmp_path / "bin" / "webbuild").chmod(0o755)
    (tmp_path / "summary.md").write_text("before\n", "utf-8")
    return tmp_path


def run(place: Path, **environment: str) -> int:
    given = {
        **os.environ,
        "PATH": f"{place / 'bin'}{os.pathsep}{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "MODEL": "my model.onnx",
        "OUT": "dist/it",
        "GPU": "software",
        "GITHUB_STEP_SUMMARY": str(place / "summary.md"),
        "GITHUB_OUTPUT": str(place / "outputs"),
        **environment,
    }
    return subprocess.run([ROOT / "action" / "pack-and-verify"], cwd=place, env=given, check=False).returncode


def calls(place: Path) -> list[tuple[list[str], str]]:
    return [tuple(json.loads(line)) for line in (place / "calls.jsonl").read_text().splitlines()]


def test_a_model_is_packed_compared_and_summed_up(place: Path) -> None:
    assert run(place, PACK_ARGUMENTS="--task detect --sample 'a b.jpg' $(touch hacked) *.onnx") == 0
    (pack, gpu), (verify, _) = calls(place)
    assert pack[:6] == ["pack", "my model.onnx", "-o", "dist/it", "--force", "--no-verify"]
    assert pack[6:] == ["--task", "detect", "--sample", "a b.jpg", "$(touch", "hacked)", "*.onnx"]
    assert (verify[:3], gpu) == (["verify", "dist/it", "--json"], "")
    assert (place / "summary.md").read_text() == "before\n### model: same results\n"
    assert (place / "outputs").read_text() == "bundle=dist/it\nreports=dist/it-report\n"
    assert (place / "dist" / "it-report" / "pack.html").read_text() == "<p>"
    assert json.loads((place / "dist" / "it-report" / "verify.json").read_text()) == {"backends": []}
    assert (place / "dist" / "it-report" / "verify.txt").read_text() == "said by verify\n"
    assert not (place / "hacked").exists()


def test_a_difference_fails_and_is_in_the_summary(place: Path) -> None:
    assert run(place, VERIFY_CODE="1") == 1
    assert "### model" in (place / "summary.md").read_text()


@pytest.mark.parametrize("command", ["pack", "verify"])
def test_what_stops_a_command_is_in_the_summary_as_it_was_said(place: Path, command: str) -> None:
    assert run(place, **{f"{command.upper()}_CODE": "2"}) == 2
    assert f"could not {'pack' if command == 'pack' else 'compare'} the model" in (place / "summary.md").read_text()
    assert f"\n    said by {command}\n" in (place / "summary.md").read_text()
    assert [arguments[0] for arguments, _ in calls(place)] == ["pack", "verify"][: 1 if command == "pack" else 2]


def test_the_real_gpu_is_taken_where_it_is_asked_for(place: Path) -> None:
    assert run(place, GPU="real") == 0
    assert [gpu for _, gpu in calls(place)] == ["real", "real"]


def test_every_input_reaches_a_script_through_its_environment() -> None:
    text = (ROOT / "action.yml").read_text("utf-8")
    steps = text.partition("\nruns:")[2]
    assert not re.search(r"run: .*\$\{\{", steps), "an expression in a script is code from whoever names the input"
    named = set(re.findall(r"^  ([a-z-]+):\n    description", text.partition("\noutputs:")[0], re.MULTILINE))
    assert named == set(re.findall(r"\$\{\{ inputs\.([a-z-]+)", steps)) | {"artifact"}
