"""The JavaScript API: TypeDoc's Markdown of the exports of `web/src/index.ts`."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

_HERE = Path(__file__).parent
_MODULES = _HERE / "node_modules"


def write(out: Path) -> None:
    """Write `reference/javascript.md`, and the script that makes search work without a server.

    Raises:
        RuntimeError: TypeDoc fails; the message is TypeDoc's output.
    """
    typedoc, options = str(_MODULES / ".bin" / "typedoc"), str(_HERE / "typedoc.json")
    command = [typedoc, "--options", options, "--out", str(out / "reference")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stdout + done.stderr)
    shutil.copyfile(_MODULES / "iframe-worker" / "shim" / "index.js", out / "assets" / "iframe-worker.js")
