"""Every file and module that the code and the documents name exists."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
FOLDERS = ("webbuild", "web", "tests", "tools", "e2e", "benchmarks", "models", "docs", "conformance")
SUFFIXES = {".py", ".ts", ".mjs", ".js", ".md", ".toml", ".j2"}
NAMED = re.compile(rf"(?<![\w/@.-])(?:{'|'.join(FOLDERS)})/(?:[\w.-]+/)*[\w-]+\.(?:py|ts|js|json|j2|md|toml)\b(?!\.\w)")
MODULE = re.compile(r"`(?:python -m )?((?:webbuild|benchmarks|tests|e2e)(?:\.\w+)+)(?![\w.])(?<!\.ts)")
BUILT = ("webbuild/_web/", "models/samples/")
"""What `make` writes, and what a bundle contains under such a name."""
FOREIGN = {"_web", "node_modules"}
"""Folders of built and installed files."""
EXCEPTIONS = {Path(__file__).name, "brightness_task.py"}
"""They name files that must not exist."""


def sources() -> list[Path]:
    """Return the files that name others: code and documents."""
    written = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*") if path.suffix in SUFFIXES]
    written += [path for path in ROOT.iterdir() if path.suffix in SUFFIXES]
    return [path for path in written if path.is_file() and not FOREIGN & {*path.parts} and path.name not in EXCEPTIONS]


def missing(text: str) -> set[str]:
    files = {name for name in NAMED.findall(text) if not name.startswith(BUILT) and not is_file(name)}
    return files | {name for name in MODULE.findall(text) if not is_module(name)}


def is_file(name: str) -> bool:
    """Whether such a file exists; TypeScript imports `x.ts` as its compiled name, `x.js`."""
    path = ROOT / name
    return path.exists() or (path.suffix == ".js" and path.with_suffix(".ts").exists())


def is_module(name: str) -> bool:
    """Whether a dotted name is a module, or a member of one."""
    module = ROOT.joinpath(*name.split("."))
    return module.is_dir() or module.with_suffix(".py").is_file() or module.parent.with_suffix(".py").is_file()


def test_what_is_named_is_there() -> None:
    read = sources()
    assert len(read) > 1000
    assert {path.name: gone for path in read if (gone := missing(path.read_text("utf-8")))} == {}


def test_what_is_not_there_is_found() -> None:
    assert missing("see webbuild/nowhere.py and `webbuild.nowhere.at_all`") == {
        "webbuild/nowhere.py",
        "webbuild.nowhere.at_all",
    }


def test_every_folder_of_the_runtime_is_explained() -> None:
    explained = set(re.findall(r"^ {6}([\w-]+)/ ", (ROOT / "web/README.md").read_text("utf-8"), re.MULTILINE))
    assert {path.name for path in (ROOT / "web/src").iterdir() if path.is_dir()} <= explained
