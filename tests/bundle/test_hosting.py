"""The host configuration, in each of its formats."""

from __future__ import annotations

import json
import re

import pytest

from webbuild.bundle.hosting import CONTENT_SECURITY_POLICY, HEADER_RULES, headers_file, nginx_file, vercel_file


def applying(path: str) -> dict[str, str]:
    """Return the headers that the configuration gives for a file."""
    return {
        name: value for rule in HEADER_RULES if path.startswith(rule.folder) for name, value in rule.headers.items()
    }


def of_headers_file(text: str, path: str) -> dict[str, str]:
    found: dict[str, str] = {}
    fits = False
    for line in text.splitlines():
        if line.startswith("/"):
            fits = f"/{path}".startswith(line.removesuffix("*"))
        elif fits:
            name, _, value = line.strip().partition(": ")
            assert name not in found, "both hosts would join the two values"
            found[name] = value
    return found


def of_vercel_file(text: str, path: str) -> dict[str, str]:
    return {
        header["key"]: header["value"]
        for rule in json.loads(text)["headers"]
        if re.fullmatch(rule["source"], f"/{path}")
        for header in rule["headers"]
    }


def of_nginx_file(text: str, path: str) -> dict[str, str]:
    """Return nginx's headers for a file: a regular expression wins over the longest prefix; nothing is inherited."""
    blocks = dict(re.findall(r"^location (.+?) \{\n(.*?)^\}", text, re.MULTILINE | re.DOTALL))
    patterns = [place for place in blocks if place.startswith("~ ") and re.search(place[2:], f"/{path}")]
    prefixes = [place for place in blocks if not place.startswith("~ ") and f"/{path}".startswith(place)]
    block = blocks[patterns[0] if patterns else max(prefixes, key=len)]
    return dict(re.findall(r'add_header (\S+) "(.*)" always;', block))


@pytest.mark.parametrize(
    "path", ["index.html", "model/weights-0.bin", "runtime/ort/ort.jspi.min.mjs", "golden/input-0.bin"]
)
def test_every_form_says_the_same(path: str) -> None:
    wanted = applying(path)
    assert of_headers_file(headers_file(), path) == wanted
    assert of_vercel_file(vercel_file(), path) == wanted
    assert of_nginx_file(nginx_file(), path) == {"Cache-Control": "no-cache"} | wanted


def test_only_what_is_named_by_its_content_is_kept_for_ever() -> None:
    assert "immutable" in applying("model/weights-0.bin")["Cache-Control"]
    assert "Cache-Control" not in applying("manifest.json")
    for path in ("manifest.json", "runtime/ort/ort.jspi.min.mjs", "runtime/webbuild.js"):
        assert of_nginx_file(nginx_file(), path)["Cache-Control"] == "no-cache"


def test_nginx_sends_scripts_as_scripts() -> None:
    assert "location ~ \\.mjs$ {\n  types { }\n  default_type text/javascript;" in nginx_file()


def test_the_policy_is_strict() -> None:
    assert CONTENT_SECURITY_POLICY["default-src"] == "'none'"
    said = " ".join(CONTENT_SECURITY_POLICY.values())
    assert not re.search(r"unsafe-(eval|inline)|https?:|\*", said.replace("wasm-unsafe-eval", ""))
    assert "blob:" not in CONTENT_SECURITY_POLICY["worker-src"] + CONTENT_SECURITY_POLICY["script-src"]
