"""Release notes: a section of the changelog, and the checks before publishing."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from webbuild import __version__

ROOT = Path(__file__).parents[1]
CHANGELOG = """# Changelog

## [2.0.0] - unreleased

- soon

## [1.1.0] - 2026-11-24

### Added

- a thing, see [1.0.0]

## [1.0.0] - 2025-01-01

- the first
"""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Return a repository tree with the script and a changelog."""
    (tmp_path / ".ci").mkdir()
    (tmp_path / "webbuild").mkdir()
    shutil.copy(ROOT / ".ci" / "release-notes", tmp_path / ".ci")
    (tmp_path / "CHANGELOG.md").write_text(CHANGELOG, "utf-8")
    return tmp_path


def release(tree: Path, version: str, tag: str) -> tuple[int, str]:
    (tree / "webbuild" / "__init__.py").write_text(f'"""Words."""\n\n__version__ = "{version}"\n', "utf-8")
    command = [sys.executable, str(tree / ".ci" / "release-notes"), tag]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def test_the_section_of_the_version_is_printed_and_no_other(tree: Path) -> None:
    assert release(tree, "1.1.0", "v1.1.0") == (0, "### Added\n\n- a thing, see [1.0.0]\n")
    assert release(tree, "1.0.0", "v1.0.0") == (0, "- the first\n")


@pytest.mark.parametrize(
    ("version", "tag", "wrong"),
    [
        ("1.1.0", "v1.0.0", "the tag is v1.0.0, and webbuild/__init__.py says 1.1.0"),
        ("1.1.0", "1.1.0", "the tag is 1.1.0"),
        ("3.0.0", "v3.0.0", "no section for 3.0.0"),
        ("2.0.0", "v2.0.0", "says 'unreleased' where the date of 2.0.0 belongs"),
    ],
)
def test_a_release_that_is_not_ready_is_refused(tree: Path, version: str, tag: str, wrong: str) -> None:
    code, said = release(tree, version, tag)
    assert code == 1
    assert wrong in said


def test_the_changelog_has_a_section_of_this_version() -> None:
    assert f"\n## [{__version__}] - " in (ROOT / "CHANGELOG.md").read_text("utf-8")
