"""`llms.txt`: the pages of the site for language models, in the format of llmstxt.org."""

from __future__ import annotations

import re
from pathlib import Path

from webbuild.errors import DOCS

_SECTIONS = {
    "Start": ("index.md", "start/*.md"),
    "Guides": ("guides/*.md",),
    "Reference": ("reference/*.md", "reference/*/index.md", "codes/index.md", "browsers.md"),
    "How it works": ("how/*.md",),
}
_HEAD = """# webbuild

> Makes an ONNX model run on WebGPU in the browser, with the same results. `pip install webbuild`, then
> `webbuild pack model.onnx` writes a folder with the model, a typed JavaScript loader, the engine and a demo page.

Coding agents: read "For coding agents" first. Every message has a code; its page is {docs}codes/CODE/, or
`webbuild explain CODE`.
"""


def write(out: Path) -> None:
    """Write `llms.txt`."""
    parts = [_HEAD.format(docs=DOCS)]
    for title, patterns in _SECTIONS.items():
        pages = dict.fromkeys(page for pattern in patterns for page in sorted(out.glob(pattern)))
        parts.append("\n".join([f"## {title}", "", *(_line(out, page) for page in pages)]) + "\n")
    (out / "llms.txt").write_text("\n".join(parts), "utf-8")


def _line(out: Path, page: Path) -> str:
    address = page.relative_to(out).with_suffix(".html").as_posix()
    text = page.read_text("utf-8")
    title = re.search(r"^# (.+?)( \{.*\})?$", text, re.MULTILINE)
    assert title is not None, page
    return f"- [{title[1]}]({DOCS}{address}){_summary(text.partition(title[0])[2])}"


def _summary(text: str) -> str:
    """Return the first paragraph's first sentence, without markup."""
    first = next((block for block in text.split("\n\n") if re.match(r"\s*[A-Za-z`]", block)), "")
    plain = re.sub(r"\[([^\]]+)\]\([^)]*\)", r"\1", " ".join(first.split()))
    return f": {plain.partition('. ')[0].removesuffix('.').removesuffix(':')}" if plain else ""
