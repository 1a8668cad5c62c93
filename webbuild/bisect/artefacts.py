"""The folder that a search leaves: for each finding the smallest cut, a page that shows it, a text to be pasted."""

from __future__ import annotations

import shutil
from pathlib import Path

import msgspec

from webbuild.bisect.codes import CODES
from webbuild.bisect.confirm import LARGEST
from webbuild.bisect.drift import drift
from webbuild.bisect.found import Found, Result
from webbuild.bisect.issue import issue
from webbuild.bisect.page import page
from webbuild.bisect.report import Finding, Report
from webbuild.bisect.repro import repro, write
from webbuild.bisect.search import MOST_CONFIRMED
from webbuild.bisect.subject import Subject
from webbuild.bisect.tester import Tester
from webbuild.bundle.staging import staged
from webbuild.probe.engine import Engine
from webbuild.stored import engine_content

DRIFT = "drift.html"


def keep(out: Path, report: Report, result: Result, tester: Tester, subject: Subject) -> Report:
    """Write the findings: the first in the folder itself, further ones in `2`, `3`... Return the report with the files.

    What lies behind another finding has no cut, nor has a drift, of which `drift.html` shows how it grows.

    Raises:
        WebbuildError: `cannot-write`.
    """
    told = list(report.findings)
    with staged(out) as folder:
        worth = [number for number, found in enumerate(result.found) if _worth(found)][:MOST_CONFIRMED]
        for count, number in enumerate(worth):
            place = folder if count == 0 else folder / str(count + 1)
            made = repro(tester, result.found[number].piece)
            write(made, place)
            finding = told[number]
            engine = "ort/" if count == 0 else "../ort/"
            (place / "repro.html").write_text(page(report, finding, made, subject, engine), "utf-8")
            (place / "issue.md").write_text(issue(report, finding, made), "utf-8")
            inside = "" if count == 0 else f"{count + 1}/"
            files = tuple(f"{inside}{name}" for name in ("repro.onnx", "repro.html", "issue.md"))
            told[number] = msgspec.structs.replace(finding, files=files)
        if worth:
            _engine(subject.engine, folder / "ort")
        if report.depths:
            (folder / DRIFT).write_text(drift(report), "utf-8")
            told = [_with_picture(each) for each in told]
        report = msgspec.structs.replace(report, findings=tuple(told))
        (folder / "bisect.json").write_bytes(msgspec.json.format(msgspec.json.encode(report), indent=2) + b"\n")
    return report


def _with_picture(finding: Finding) -> Finding:
    return msgspec.structs.replace(finding, files=(DRIFT,)) if finding.code == CODES["drift"] else finding


def _worth(found: Found) -> bool:
    return not found.behind and found.kind != "drift" and len(found.piece) <= LARGEST


def _engine(engine: Engine, folder: Path) -> None:
    """Put the files of the build there as a plain host has them."""
    folder.mkdir()
    for file in (engine.entry, engine.glue):
        shutil.copyfile(file, folder / file.name)
    (folder / engine.wasm.name.removesuffix(".zst")).write_bytes(engine_content(engine.wasm))
