"""The script of the GitHub Action with the real program, outside GitHub: a good bundle and a wrong one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.models import convolution, save

ROOT = Path(__file__).parents[1]
PROGRAM = f"""#!{sys.executable}
import pathlib, sys
from webbuild.cli import main
try:
    main()
finally:
    if sys.argv[1] == "pack" and {{broken}}:
        from e2e.broken import negate_graph
        negate_graph(pathlib.Path("bundle"))
"""


@pytest.mark.parametrize("broken", [False, True], ids=["right", "wrong"])
def test_the_job_fails_where_answers_differ_and_says_so_in_its_summary(tmp_path: Path, broken: bool) -> None:
    save(convolution(), tmp_path / "small.onnx")
    program = tmp_path / "bin" / "webbuild"
    program.parent.mkdir()
    program.write_text(PROGRAM.format(broken=broken), "utf-8")
    program.chmod(0o755)
    summary = tmp_path / "summary.md"
    environment = {
        **os.environ,
        "PATH": f"{program.parent}{os.pathsep}{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
        "MODEL": "small.onnx",
        "OUT": "bundle",
        "GPU": "software",
        "GITHUB_STEP_SUMMARY": str(summary),
        "GITHUB_OUTPUT": str(tmp_path / "outputs"),
    }
    script = ROOT / "action" / "pack-and-verify"
    done = subprocess.run([script], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == int(broken), done.stderr
    text = summary.read_text("utf-8")
    assert text.startswith(f"### small: {'not the same' if broken else 'same results'}\n")
    assert len([line for line in text.splitlines() if line.startswith("| ")]) == 4
    assert ("\n- DIFFERS Chromium here, recorded, golden" in text) == broken
    reports = tmp_path / "bundle-report"
    assert len(json.loads((reports / "verify.json").read_text("utf-8"))["backends"]) == 2
    assert {path.name for path in reports.glob("*.html")} == {"pack.html", "verify.html"}
