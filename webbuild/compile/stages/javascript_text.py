"""A scanner for JavaScript source that separates code from comments, strings, regular expressions and templates."""

from __future__ import annotations

import re
from typing import NamedTuple

# A slash begins a regular expression unless a value precedes it.
_TOKEN = re.compile(
    r"""
    (?P<comment>//[^\n]*|/\*.*?(?:\*/|\Z))
    | (?P<string>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')
    | (?P<brace>[`{}])
    | (?:(?<=[=(,:;!&|?{}\[+*%<>~^-])|(?<=return)|(?<=typeof)|^)[ \t]*
      (?P<pattern>/(?![*/])(?:\\.|\[(?:\\.|[^]\\\n])*]|[^/\\[\n])+/[a-z]*)
    """,
    re.DOTALL | re.VERBOSE,
)
_TEMPLATE = re.compile(r"(?P<text>(?:\\(?:.|\Z)|\$(?!\{)|[^`\\$])*)(?P<end>`|\$\{|\Z)", re.DOTALL)
STRING = "\0"
"""Placeholder of a string in the code."""


class JavaScriptText(NamedTuple):
    """A module without its comments.

    `code` has `STRING` in place of each of the `strings`, in order, and `0` in place of regular expressions. A template
    is a string up to its first `${`; the contents of `${ }` are code.
    """

    code: str
    strings: list[str]

    def string_at(self, offset: int) -> str:
        """Return the string for the placeholder at an offset of the code."""
        return self.strings[self.code.count(STRING, 0, offset)]


def scan_javascript(text: str) -> JavaScriptText:
    """Split a module into code and strings."""
    text = text.replace(STRING, " ")
    code, strings, at = list[str](), list[str](), 0
    in_template: list[bool] = []  # for each open brace: whether it is a ${
    while (token := _TOKEN.search(text, at)) is not None:
        code.append(text[at : token.start()])
        at = token.end()
        match token.lastgroup, token[0]:
            case "comment", _:
                code.append(" ")
            case "string", string:
                code.append(STRING)
                strings.append(string[1:-1])
            case "pattern", _:
                code.append("0")
            case _, "{":
                in_template.append(False)
                code.append("{")
            case _, "}" if not in_template or not in_template.pop():
                code.append("}")
            case _, mark:
                part = _TEMPLATE.match(text, at)
                assert part is not None
                at = part.end()
                code.append(STRING if mark == "`" else ")")
                if mark == "`":
                    strings.append(part["text"])
                if part["end"] == "${":
                    in_template.append(True)
                    code.append("(")
    return JavaScriptText("".join([*code, text[at:]]), strings)
