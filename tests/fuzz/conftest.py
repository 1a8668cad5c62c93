"""Records how the inputs of `make fuzz` ended, for its table."""

from __future__ import annotations

import json
import os
from pathlib import Path

from tests.fuzz.bounds import ENDED

REPORT = Path(__file__).parents[2] / "test-results" / "fuzz-python.json"


def pytest_sessionfinish() -> None:
    if os.environ.get("WEBBUILD_EXAMPLES") == "fuzz" and ENDED:
        REPORT.parent.mkdir(exist_ok=True)
        REPORT.write_text(json.dumps([{"what": what, "ended": ended} for what, ended in ENDED.items()]), "utf-8")
