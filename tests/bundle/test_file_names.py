"""File names from untrusted strings."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from webbuild.bundle.file_names import safe_file_name, title_from_stem

GOOD = re.compile(r"[a-z0-9]([a-z0-9.-]*[a-z0-9])?")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("yolo-pose", "yolo-pose"),
        ("YOLO11n Pose.v2", "yolo11n-pose.v2"),
        ("../../x", "x"),
        ("..\\..\\x", "x"),
        ("</script><script>alert(1)</script>", "script-script-alert-1-script"),
        ("a\x00b\x1b[31mc\r\n", "a-b-31mc"),
        ("Größe naïve", "große-naive".replace("ß", "")),
        ("模型", "model-model"),
        ("", "model-model"),
        ("...", "model-model"),
        ("CON", "con-model"),
        ("aux", "aux-model"),
        ("index", "index-model"),
        ("a..b", "a.b"),
        ("-rf", "rf"),
    ],
)
def test_a_name_keeps_what_is_harmless(text: str, name: str) -> None:
    assert safe_file_name(text) == name


@pytest.mark.parametrize("text", ["x" * 10_000, "../" * 5_000, "模" * 10_000, "a." * 5_000, "." * 59 + "a" * 9])
def test_long_names_are_cut(text: str) -> None:
    assert 0 < len(safe_file_name(text)) <= 66


@settings(max_examples=300, deadline=None)
@given(st.text())
def test_any_text_gives_a_safe_name_that_stays_the_same(text: str) -> None:
    name = safe_file_name(text)
    assert GOOD.fullmatch(name)
    assert ".." not in name
    assert safe_file_name(name) == name


@pytest.mark.parametrize("stem", ["con", "nul", "prn", "com1", "com9", "lpt1", "lpt9", "con.tar", "aux.v2", "lpt1.x.y"])
def test_names_that_windows_keeps_for_devices_are_avoided(stem: str) -> None:
    first = safe_file_name(stem).partition(".")[0]
    assert first not in {"con", "prn", "aux", "nul", *(f"{d}{n}" for d in ("com", "lpt") for n in range(1, 10))}


@pytest.mark.parametrize("stem", ["index", "manifest", "runtime", "page", "model", "golden", "samples", "report"])
def test_a_loader_is_not_named_like_another_file_of_the_bundle(stem: str) -> None:
    taken = {"index.html", "manifest.json", "manifest.schema.json", "report.html", "report.json"}
    taken |= {"runtime", "page", "model", "golden", "samples"}
    assert not {f"{safe_file_name(stem)}.js", f"{safe_file_name(stem)}.d.ts"} & taken


@pytest.mark.parametrize(
    ("stem", "title"),
    [("several", "Several"), ("2-two_people", "Two people"), ("___", "Sample"), ("Bus stop", "Bus stop")],
)
def test_a_title_is_a_stem_made_readable(stem: str, title: str) -> None:
    assert title_from_stem(stem) == title
