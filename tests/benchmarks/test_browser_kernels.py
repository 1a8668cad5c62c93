"""The pages about browser kernel errors: they contain all measurements, and nothing else."""

from __future__ import annotations

import re

import pytest

from benchmarks.browser_kernels import ENGINE, PAGE, kernel_table
from benchmarks.upstream_issues import PAGE as UPSTREAM
from benchmarks.upstream_issues import UpstreamIssue, render, upstream_issues
from webbuild.targets.browser_differences import load_differences

FOUND = load_differences(ENGINE, "firefox") or pytest.fail("nothing was measured in Firefox")


def test_the_table_is_what_was_measured() -> None:
    assert f"<!-- kernels -->\n{kernel_table(FOUND)}<!-- /kernels -->" in PAGE.read_text("utf-8")


def test_every_kernel_that_fails_has_a_text_to_be_filed() -> None:
    issues = upstream_issues(FOUND)
    assert len(issues) > 4
    sections = re.findall("^## (.*)$", UPSTREAM.read_text("utf-8"), re.MULTILINE)
    assert sections == [issue.title for issue in issues]


def test_a_section_is_the_text_of_bisect_one_level_down() -> None:
    issue = UpstreamIssue("firefox", "Pad", "float16/pad/wrap")
    page = render([(issue, "# `Pad` throws\n\n| a | b |\n\n## `Pad`, opset 19\n\n- no attributes\n")])
    assert "- Pad of float16/pad/wrap in Firefox: `Pad` throws\n" in page
    body = "**`Pad` throws**\n\n| a | b |\n\n### `Pad`, opset 19\n\n- no attributes\n"
    assert page.endswith(f"\n## Pad of float16/pad/wrap in Firefox\n\n{body}")
