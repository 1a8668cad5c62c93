"""The list of decisions."""

from __future__ import annotations

from pathlib import Path

from tools.docs import markdown


def write(out: Path) -> None:
    """Write `decisions/index.md`."""
    rows = []
    for path in sorted((out / "decisions").glob("[0-9]*.md")):
        title = path.read_text("utf-8").partition("\n")[0].removeprefix("# ")
        rows.append((path.name[:4], f"[{title}]({path.name})"))
    about = "The reasons for webbuild's design. Each record has the problem, the decision and its consequences."
    body = f"{about}\n\n{markdown.table(('', 'decision'), rows)}"
    markdown.page(out / "decisions" / "index.md", "Decisions", body)
