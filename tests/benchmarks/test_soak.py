"""The table of long runs: read from a vitest report, shown on the page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from benchmarks import soak

ROW = {
    "what": "runs, pose, webgpu",
    "times": 1000,
    "ended": "answered",
    "heap": [40_000_000, 40_500_000, 40_600_000, 40_590_000],
    "memory": {"buffers": 12, "textures": 1, "bytes": 16_777_216},
    "browser": "Chromium 156",
    "adapter": "llvmpipe (LLVM 19.1.7, 256 bits)",
}


def report(folder: Path, *, status: str = "passed", meta: dict[str, Any]) -> Path:
    test = {"fullName": "a test", "status": status, "meta": meta}
    file = folder / "report.json"
    content = {"success": status == "passed", "testResults": [{"assertionResults": [test]}]}
    file.write_bytes(msgspec.json.encode(content))
    return file


def test_rows_are_read_and_shown(tmp_path: Path) -> None:
    rows = soak.read_report(report(tmp_path, meta={"soak": [ROW]}), "2026-11-28")
    *_, line = soak.table(rows).splitlines()
    assert line == (
        "| runs, pose, webgpu | 1,000 | answered | 40.0 MB | 500, 100, -10 kB | 12, 1 | 16.8 MB "
        "| Chromium 156, llvmpipe | 2026-11-28 |"
    )


def test_nothing_is_read_of_a_test_that_failed(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="a test"):
        soak.read_report(report(tmp_path, status="failed", meta={"soak": [ROW]}), "")


def test_rows_that_no_report_has_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(soak, "DATA", tmp_path / "soak.json")
    monkeypatch.setattr(soak, "PAGE", tmp_path / "soak.md")
    (tmp_path / "soak.md").write_text("<!-- soak -->\n<!-- /soak -->\n")
    pose, embed = ({**ROW, "what": f"runs, {task}, webgpu"} for task in ("pose", "embed"))
    soak.write([msgspec.convert(each, soak.Row) for each in (pose, {**embed, "browser": "Firefox 153"})])
    soak.write([msgspec.convert(each, soak.Row) for each in (embed, {**pose, "browser": "Chromium 157"})])
    assert [(row.browser, row.what) for row in soak.read()] == [
        ("Chromium 156", "runs, embed, webgpu"),
        ("Chromium 157", "runs, pose, webgpu"),
        ("Firefox 153", "runs, embed, webgpu"),
    ]


def test_a_report_without_rows_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="no test has repeated actions"):
        soak.read_report(report(tmp_path, meta={}), "")
