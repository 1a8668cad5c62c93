"""Any `--glue` module: its code is distinguished from its strings."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from tests.fuzz.bounds import tried, typed_end
from webbuild.compile.stages.javascript_text import STRING, scan_javascript


@tried(few=100, many=5_000)
@example("`a\\")
@given(st.text("`${}\\/*'\"[]= \nab") | st.text())
def test_any_module_is_scanned(text: str) -> None:
    with typed_end("glue modules"):
        found = scan_javascript(text)
        assert found.code.count(STRING) == len(found.strings)
