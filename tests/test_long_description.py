"""The README on PyPI, where no other file of the repository exists: every link must be absolute."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from hatch_build import published_readme

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text("utf-8")
URLS = {"Documentation": "https://docs.example/"}
REPOSITORY = {**URLS, "Repository": "https://host.example/someone/webbuild"}


@pytest.mark.parametrize(
    ("link", "published"),
    [
        ("[a](docs/zoo.md)", "[a](https://docs.example/zoo.html)"),
        ("[a](docs/guides/pack.md#sizes)", "[a](https://docs.example/guides/pack.html#sizes)"),
        ("[a](docs/decisions)", "[a](https://docs.example/decisions/index.html)"),
        ("![a `b`\nc](docs/images/x.webp)", "![a `b`\nc](https://docs.example/images/x.webp)"),
        ("[a](models/README.md)", "[a](https://host.example/someone/webbuild/blob/HEAD/models/README.md)"),
        ("[a](https://example.com/docs/zoo.md)", "[a](https://example.com/docs/zoo.md)"),
        ("[a](#use-it)", "[a](#use-it)"),
    ],
)
def test_a_relative_link_becomes_an_address(link: str, published: str) -> None:
    assert published_readme(link, REPOSITORY) == published


def test_without_the_address_of_the_repository_the_words_stay() -> None:
    assert published_readme("see [the\nrecipes](models/README.md).", URLS) == "see the\nrecipes."


@pytest.mark.parametrize("urls", [URLS, REPOSITORY])
def test_the_readme_has_no_relative_link_left(urls: dict[str, str]) -> None:
    published = published_readme(README, urls)
    targets = re.findall(r"\]\(([^)]*)\)", published)
    assert [each for each in targets if not each.startswith(("https://", "#"))] == []
    assert "](https://docs.example/images/webbuild.webp)" in published
    assert re.search(r"<(img|a|source)\b", published) is None


def test_the_pages_that_it_leads_to_are_on_the_site() -> None:
    urls = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["urls"]
    pages = re.findall(re.escape(urls["Documentation"]) + r"([^)#]+)", published_readme(README, urls))
    assert len(pages) > 5
    made = {"decisions/index.html"}
    assert [each for each in pages if each not in made and not _source(each).is_file()] == []


def _source(page: str) -> Path:
    return ROOT / "docs" / re.sub(r"\.html$", ".md", page)
