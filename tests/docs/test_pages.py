"""Generated documentation pages: every printed address has a page, and it has the terminal's text."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.commands.program import webbuild
from tools.docs import codes, links, markdown
from webbuild.commands.explain import all_pages
from webbuild.errors import DOCS, page_url

CODES = {code: text for group in all_pages().values() for code, text in group.items()}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("docs")
    codes.write(out)
    return out


@pytest.mark.parametrize("code", sorted(CODES))
def test_the_address_of_a_code_is_that_of_its_page(site: Path, code: str) -> None:
    page = site / page_url(code).removeprefix(DOCS) / "index.md"
    assert f"# `{code}`" in page.read_text("utf-8")


@pytest.mark.parametrize("code", ["static-nms", "conv-channels-mod-3", "no-adapter", "node-mismatch", "too-far"])
def test_a_page_says_what_explain_says(site: Path, code: str) -> None:
    shown = webbuild("explain", code).stdout
    assert CODES[code] in shown
    assert markdown.docstring(CODES[code]) in (site / "codes" / code / "index.md").read_text("utf-8")
    assert shown.splitlines()[-1] == f"See: {page_url(code)}"


def test_a_pass_shows_the_graph_before_and_after_and_a_finding_what_inspect_says(site: Path) -> None:
    rewritten = (site / "codes" / "pad-conv-channels" / "index.md").read_text("utf-8")
    before, _, after = rewritten.partition("After:")
    assert "= Conv" in before
    assert "Pad" not in before.partition("## Example")[2]
    assert "= Pad" in after
    found = (site / "codes" / "conv-channels-mod-3" / "index.md").read_text("utf-8")
    assert "error[conv-channels-mod-3] wrong answer" in found


def test_an_error_shows_the_messages_of_the_source(site: Path) -> None:
    page = (site / "codes" / "unused-dimension" / "index.md").read_text("utf-8")
    assert "error[unused-dimension] " in page
    assert "{path}: --dim has no effect on a bundle: its sizes are fixed\n  fix: " in page


def test_what_is_markup_to_markdown_is_escaped() -> None:
    assert markdown.prose("a <b> [c] *d* `e <f>`") == "a &#60;b&#62; &#91;c&#93; &#42;d&#42; `e <f>`"


@pytest.mark.parametrize(
    ("html", "problem"),
    [
        ('<a href="nowhere.html">x</a>', "there is no such file"),
        ('<a href="#nowhere">x</a>', "there is no such anchor"),
        ('<script src="https://example.com/x.js"></script>', "loads https://example.com/x.js"),
        ('<link rel="stylesheet" href="//example.com/x.css">', "loads //example.com/x.css"),
        ('<a href="https://example.com/">x</a><a href="#here">y</a><p id="here">', None),
    ],
)
def test_a_broken_link_and_what_comes_from_another_host_are_found(
    tmp_path: Path, html: str, problem: str | None
) -> None:
    for code in CODES:
        (tmp_path / "codes" / code).mkdir(parents=True)
        (tmp_path / "codes" / code / "index.html").touch()
    (tmp_path / "index.html").write_text(html, "utf-8")
    found = list(links.problems(tmp_path))
    assert len(found) == bool(problem)
    assert all(str(problem) in each for each in found)
