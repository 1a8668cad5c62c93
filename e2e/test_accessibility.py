"""Tabbing through a page detects controls that the keyboard cannot reach."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page

from e2e.accessibility import focus_problems

RIGHT = """<form><input id="one"><button type="button" id="two">b</button></form>
<p style="float: right"><a id="three" href="#">c</a></p><section><button id="four">d</button></section>"""


@pytest.fixture(scope="module")
def page(without_gpu: Browser) -> Iterator[Page]:
    page = without_gpu.new_page()
    yield page
    page.close()


@pytest.mark.parametrize(
    ("html", "wrong"),
    [
        (RIGHT, []),
        (f"<style>form {{ display: flex; flex-direction: column-reverse }}</style>{RIGHT}", ["two comes after one"]),
        (f"<style>form {{ display: flex; flex-direction: row-reverse }}</style>{RIGHT}", ["two comes after one"]),
        (f"<style>#two:focus {{ outline: none }}</style>{RIGHT}", ["two does not show"]),
        (
            f"{RIGHT}<button id='five'>e</button><script>five.onfocus = () => one.focus()</script>",
            ["five is not reached"],
        ),
        (f"{RIGHT}<button id='five' disabled>e</button><button hidden>f</button><a>g</a>", []),
        ("<input type=radio name=a id=a checked><input type=radio name=a id=b>", []),
        ("<style>input { opacity: 0 }</style><input id=a><label>a</label>", ["a does not show"]),
    ],
)
def test_the_way_of_the_focus(page: Page, html: str, wrong: list[str]) -> None:
    page.set_content(html)
    page.locator("input:visible, button:visible").last.click(force=True)
    found = focus_problems(page)
    assert len(found) == len(wrong)
    assert [text for text, line in zip(wrong, found, strict=True) if text not in line] == []
