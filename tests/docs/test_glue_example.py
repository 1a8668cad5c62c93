"""The JavaScript module in the pipelines guide passes a type check against the package's types."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

from tests.bundle.test_render import RUNTIME_TYPES, TSC
from tests.bundle.test_shared_types import OPTIONS as SHARED
from tests.commands.program import ROOT
from webbuild.compile.stages.glue_file import glue_problem

GUIDE = ROOT / "docs" / "guides" / "pipelines.md"
OPTIONS = ["--allowJs", "--checkJs", *SHARED]


def checked(folder: Path, text: str) -> str:
    """Return the compiler's messages about a module that imports the package's types."""
    package = folder / "node_modules" / "@webbuild" / "runtime"
    package.mkdir(parents=True, exist_ok=True)
    shutil.copy(RUNTIME_TYPES, package / "webbuild.d.ts")
    shutil.copy(ROOT / "web" / "package" / "package.json", package)
    (folder / "point.js").write_text(text, "utf-8")
    return subprocess.run([*TSC, *OPTIONS, "point.js"], cwd=folder, capture_output=True, text=True, check=False).stdout


def test_the_module_of_the_guide_is_typed(tmp_path: Path) -> None:
    blocks = re.findall(r"```js\n(.*?)```", GUIDE.read_text("utf-8"), re.DOTALL)
    [text] = [block for block in blocks if "export default" in block]
    assert checked(tmp_path, text) == ""
    assert glue_problem(tmp_path / "point.js") is None
    assert "is not assignable" in checked(tmp_path, text.replace('type: "float32"', 'type: "float23"'))
