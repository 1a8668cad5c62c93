"""Check the built site: `python -m tools.docs.links dist/docs`.

Every link within the site leads to an existing file and anchor, nothing is loaded from another host, and every code
has its page. Zensical itself checks links between pages, but not links in HTML or in its own templates.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

from webbuild.commands.explain import all_pages

_LOADS = {("script", "src"), ("img", "src"), ("iframe", "src"), ("source", "src"), ("video", "src")}
_LOADING_LINKS = {"stylesheet", "icon", "preload", "modulepreload", "preconnect", "manifest"}
_IN_CSS = re.compile(r"url\(\s*[\"']?(?:https?:)?//")


class _Page(HTMLParser):
    """The anchors of a page, its links, and the resources that it loads."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        self.anchors |= {found[name] for name in ("id", "name") if name in found}
        if tag == "a" and "href" in found:
            self.links.append(found["href"])
        if tag == "link" and set(found.get("rel", "").split()) & _LOADING_LINKS:
            self.loaded.append(found.get("href", ""))
        self.loaded += [found[name] for kind, name in _LOADS if tag == kind and name in found]


def problems(site: Path) -> Iterator[str]:
    """Yield the problems of a built site."""
    pages = {path: _Page(path.read_text("utf-8")) for path in sorted(site.rglob("*.html"))}
    for path, page in pages.items():
        where = path.relative_to(site).as_posix()
        for address in page.loaded:
            if _elsewhere(address):
                yield f"{where} loads {address}"
        for address in (*page.links, *page.loaded):
            if not _elsewhere(address) and path.name != "404.html":
                yield from (f"{where}: {address}: {wrong}" for wrong in _wrong(site, pages, path, address))
    for sheet in site.rglob("*.css"):
        if _IN_CSS.search(sheet.read_text("utf-8")):
            yield f"{sheet.relative_to(site).as_posix()} loads something from another host"
    for code in {code for group in all_pages().values() for code in group}:
        if not (site / "codes" / code / "index.html").is_file():
            yield f"codes/{code}/ is missing"


def _elsewhere(address: str) -> bool:
    return bool(urlsplit(address).scheme or urlsplit(address).netloc)


def _wrong(site: Path, pages: dict[Path, _Page], path: Path, address: str) -> Iterator[str]:
    parts = urlsplit(address)
    target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
    if target.is_dir():
        target /= "index.html"
    if not target.is_file() or not target.is_relative_to(site.resolve()):
        yield "there is no such file"
    elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].anchors:
        yield "there is no such anchor"


if __name__ == "__main__":
    found = list(problems(Path(sys.argv[1]).resolve()))
    sys.stderr.write("".join(f"{line}\n" for line in found))
    sys.stdout.write("" if found else "the site's links and files are right\n")
    sys.exit(bool(found))
