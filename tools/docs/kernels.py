"""Tables of the measured kernels: a page for each build of onnxruntime-web."""

from __future__ import annotations

from pathlib import Path

from tools.docs import markdown
from webbuild.targets.browser_differences import BrowserDifferences, load_differences
from webbuild.targets.table import KernelTable, MeasuredCase, load_table, measured_targets

_PLACES = ("gpu", "cpu", "none")
_FAILS = ("throws", "wrong", "no-session")
_MAX_MESSAGE = 160
"""Maximum number of characters of a case's error message."""


def write(out: Path) -> None:
    """Write `reference/kernels/TARGET.md` for each measured build, and the list of them."""
    folder = out / "reference" / "kernels"
    rows = []
    for target in measured_targets():
        measured = load_table(target)
        where = f"{measured.browser} on {measured.adapter}"
        rows.append((f"[{target.name}]({target.name}.md)", measured.measured, where, str(len(measured.cases))))
        markdown.page(
            folder / f"{target.name}.md",
            f"Kernels of {target.name}",
            _body(measured),
            description=f"Where each ONNX operator runs in onnxruntime-web {target.name}, measured.",
        )
    body = "\n\n".join(
        [
            "Measured placement of each ONNX operator on each build of onnxruntime-web, in a browser.",
            "`webbuild inspect` predicts from these tables, and `webbuild pack` rewrites by them.",
            markdown.table(("build", "measured", "in", "cases"), rows),
            "[How they are measured](../../kernel-tables.md). `webbuild targets A B` prints the differences of two.",
        ]
    )
    markdown.page(folder / "index.md", "Measured kernels", body)


def _body(measured: KernelTable) -> str:
    rows = []
    for operator, versions in sorted(measured.kernels.items()):
        newest = max(versions, key=int)
        types = [", ".join(versions[newest].get(place, [])) for place in _PLACES]  # type: ignore[call-overload]
        rows.append((f"`{operator}`", newest, *types))
    failing = sorted((case for case in measured.cases if case.outcome in _FAILS), key=lambda case: (case.op, case.name))
    return "\n\n".join(
        [
            f"Measured on {measured.measured} in {measured.browser} on {measured.adapter}.",
            f"Results are compared with native {measured.native}.",
            "## Placement by element type",
            "Each operator at its newest measured schema version, and the element types of its first type variable.",
            markdown.table(("operator", "opset", "on the GPU", "on the CPU", "no kernel"), rows),
            f"## Cases that fail: {len(failing)}",
            "Models of one node that throw, return wrong results, or get no session.",
            markdown.table(("operator", "case", "type", "outcome", "message"), [_case(case) for case in failing]),
            *_differences(load_differences(measured.target, "firefox")),
        ]
    )


def _differences(found: BrowserDifferences | None) -> list[str]:
    if found is None:
        return []
    rows = [(*_case(each.case), each.chromium) for each in found.differences]
    return [
        f"## Cases with another outcome in Firefox: {len(rows)}",
        f"Of {found.cases} cases, measured on {found.measured} in {found.browser} and compared with {found.against}.",
        markdown.table(("operator", "case", "type", "in Firefox", "message", "in Chromium"), rows),
    ]


def _case(case: MeasuredCase) -> tuple[str, ...]:
    message = " ".join(case.message.split())
    if len(message) > _MAX_MESSAGE:
        message = f"{message[:_MAX_MESSAGE]}…"
    _, _, variant = case.name.partition("/")
    return f"`{case.op}`", markdown.prose(variant), case.dtype, case.outcome, markdown.prose(message)
