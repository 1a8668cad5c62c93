"""A page for each code: the text of `webbuild explain CODE`, with an example from the tests."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

from tools.docs import markdown
from tools.docs.examples import finding_example, pass_example
from tools.docs.messages import error_messages
from webbuild.commands.explain import all_pages
from webbuild.inspection.rules.base import all_rules
from webbuild.reporting.quantities import first_sentence

_ABOUT = {
    "passes": "Rewrites of the graph that `webbuild pack` and `webbuild patch` make.",
    "findings": "Messages of `webbuild inspect` about a node or a model, before it runs.",
    "bisect": "Results of `webbuild bisect`.",
    "comparisons": "Why two results differ, in the JSON reports of `pack`, `verify` and `bisect`.",
}
_KINDS = {"passes": "Pass", "findings": "Finding", "bisect": "Finding of bisect", "comparisons": "Comparison"}


def write(out: Path) -> None:
    """Write `codes/CODE/index.md` for every code, and the list of them."""
    groups = all_pages()
    by_code: dict[str, dict[str, str]] = defaultdict(dict)
    for title, pages in groups.items():
        for code, text in pages.items():
            by_code[code][title] = text
    for code, texts in by_code.items():
        _write_code(out / "codes" / code / "index.md", code, texts)
    markdown.page(out / "codes" / "index.md", "Codes", _index(groups), description="Every code that webbuild prints.")


def _write_code(path: Path, code: str, texts: dict[str, str]) -> None:
    kind = "Code" if len(texts) > 1 else _KINDS.get(next(iter(texts)), "Error")
    parts = [f"{kind} · [all codes](../index.md)"]
    for title, text in texts.items():
        if len(texts) > 1:
            parts.append(f"## In {title}")
        parts.append(markdown.docstring(text))
        if title == "passes":
            parts += [*_fixed_findings(code), *pass_example(code)]
        if title == "findings":
            parts += [*_fixing_passes(code), *finding_example(code)]
        if title.startswith("errors"):
            parts += error_messages(code)
    parts.append(f"In the terminal: `webbuild explain {code}`")
    first = next(iter(texts.values()))
    markdown.page(path, f"`{code}`", "\n\n".join(parts), description=first_sentence(first))


def _fixing_passes(code: str) -> list[str]:
    passes = [each for rule in all_rules() if rule.code == code for each in getattr(rule, "passes", ())]
    links = ", ".join(f"[`{each}`](../{each}/index.md)" for each in dict.fromkeys(passes))
    return [f"The pass that rewrites it, with the graph before and after: {links}."] if links else []


def _fixed_findings(code: str) -> list[str]:
    fixed = dict.fromkeys(rule.code for rule in all_rules() if code in getattr(rule, "passes", ()))
    links = ", ".join(f"[`{each}`](../{each}/index.md)" for each in fixed)
    return [f"It fixes these findings of `webbuild inspect`: {links}."] if links else []


def _index(groups: dict[str, dict[str, str]]) -> str:
    parts = ["Every code has this page and `webbuild explain CODE`. The two show the same text."]
    for title, pages in groups.items():
        heading = title.removeprefix("errors, ")
        parts.append(f"## {'Errors: ' + heading if heading != title else title.capitalize()}")
        if title in _ABOUT:
            parts.append(_ABOUT[title])
        rows = [
            (f"[`{code}`]({code}/index.md)", markdown.prose(first_sentence(text)))
            for code, text in sorted(pages.items())
        ]
        parts.append(markdown.table(("code", "what it says"), rows))
    return "\n\n".join(parts)
