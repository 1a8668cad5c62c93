"""Writes the result folder: for each finding the smallest model, a page that runs it, and the text of an issue."""

from __future__ import annotations

import shutil
from pathlib import Path

import msgspec

from webbuild.bisect.culprit import BisectResult, Culprit
from webbuild.bisect.error_plot import render_error_plot
from webbuild.bisect.issue_text import issue_text
from webbuild.bisect.model_under_test import ModelUnderTest
from webbuild.bisect.report import BisectReport
from webbuild.bisect.repro import build_repro, write_repro
from webbuild.bisect.repro_page import render_repro_page
from webbuild.bisect.reproduce import MAX_NODES
from webbuild.bisect.search import MAX_REPRODUCED
from webbuild.bisect.subgraph_runner import SubgraphRunner
from webbuild.bundle.staging import staged_folder
from webbuild.manifest.file_entry import read_engine_wasm
from webbuild.ortweb.build import OrtWebBuild
from webbuild.reporting.write import encode_json, write_text

_ERROR_PLOT_FILE = "error-by-depth.html"


def write_findings(
    out: Path, report: BisectReport, result: BisectResult, runner: SubgraphRunner, subject: ModelUnderTest
) -> BisectReport:
    """Write the first finding into the folder itself, further ones into `2`, `3`...; return the report with the files.

    Findings downstream of others have no files. For accumulated errors, there is `error-by-depth.html`.

    Raises:
        WebbuildError: `cannot-write`.
    """
    findings = list(report.findings)
    with staged_folder(out) as folder:
        worth = [number for number, culprit in enumerate(result.culprits) if _is_reportable(culprit)][:MAX_REPRODUCED]
        for count, number in enumerate(worth):
            target_folder = folder if count == 0 else folder / str(count + 1)
            repro = build_repro(runner, result.culprits[number].subgraph)
            write_repro(repro, target_folder)
            finding = findings[number]
            engine = "ort/" if count == 0 else "../ort/"
            write_text(target_folder / "repro.html", render_repro_page(report, finding, repro, subject, engine))
            write_text(target_folder / "issue.md", issue_text(report, finding, repro))
            inside = "" if count == 0 else f"{count + 1}/"
            files = tuple(f"{inside}{name}" for name in ("repro.onnx", "repro.html", "issue.md"))
            findings[number] = msgspec.structs.replace(finding, files=files)
        if worth:
            _write_build(subject.build, folder / "ort")
        if report.depth_errors:
            write_text(folder / _ERROR_PLOT_FILE, render_error_plot(report))
            findings = [
                msgspec.structs.replace(each, files=(_ERROR_PLOT_FILE,)) if each.code == "error-accumulation" else each
                for each in findings
            ]
        report = msgspec.structs.replace(report, findings=tuple(findings))
        write_text(folder / "bisect.json", f"{encode_json(report)}\n")
    return report


def _is_reportable(culprit: Culprit) -> bool:
    return not culprit.downstream and culprit.code != "error-accumulation" and len(culprit.subgraph) <= MAX_NODES


def _write_build(engine: OrtWebBuild, folder: Path) -> None:
    """Write the files of the build, uncompressed, for any static host."""
    folder.mkdir()
    for file in (engine.entry, engine.glue):
        shutil.copyfile(file, folder / file.name)
    (folder / engine.wasm.name.removesuffix(".zst")).write_bytes(read_engine_wasm(engine.wasm))
