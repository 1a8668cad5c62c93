"""Text output of `webbuild patch`."""

from __future__ import annotations

import json
from collections.abc import Iterator

from webbuild.bundle.export_onnx import OnnxFile
from webbuild.commands.patch_result import PatchResult
from webbuild.errors import CLEAN, page_url
from webbuild.reporting.quantities import format_count
from webbuild.targets import jsep


def result_lines(outcome: PatchResult, *, dry_run: bool) -> Iterator[str]:
    """Yield the line of a model; in a dry run also its rewrites, one per line."""
    if outcome.error is not None:
        error = outcome.error
        page = page_url(error.code)
        yield f"failed   {outcome.model}: error[{error.code}] {error.message}; fix: {error.fix}; see: {page}"
        return
    if dry_run:
        for target, rewrites in outcome.rewrites.items():
            for rewrite in rewrites:
                done = "done" if rewrite.applied else "left"
                yield f"{outcome.model}: {target}: {done} [{rewrite.code}] {rewrite.location}: {rewrite.reason}"
    counts = [
        *(
            f"{target}: {format_count(sum(e.applied for e in rewrites), 'rewrite')}"
            for target, rewrites in outcome.rewrites.items()
        ),
        *outcome.interface,
        *outcome.repairs,
        *(
            f"{name} would fail, use WASM: [{each.code}] {each.reason}"
            for name, each in outcome.disabled_targets.items()
        ),
    ]
    written = ", ".join(_describe_file(file) for file in outcome.files)
    proven = (
        f"; same results in {format_count(outcome.compared, 'comparison')}; written: {written}"
        if outcome.exit_code == CLEAN and written
        else ""
    )
    yield f"{'dry run ' if dry_run else 'patched '} {outcome.model}: {', '.join(counts)}{proven}"
    for file in outcome.files:
        if file.cpu_nodes:
            option = {"executionProviders": [{"name": "webgpu", "forceCpuNodeNames": list(file.cpu_nodes)}]}
            yield f"session options for {file.file}: {json.dumps(option)}"
    if any(target.endswith("-webgpu") for file in outcome.files for target in file.targets):
        yield f"note[{jsep.CODE}] {jsep.FIX}; see: {page_url(jsep.CODE)}"


def _describe_file(file: OnnxFile) -> str:
    """Return a file's path, and the targets that its name does not have."""
    others = ", ".join(file.targets[1:])
    return f"{file.file} (for {others} too)" if others else file.file
