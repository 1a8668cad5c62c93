"""HTTP headers for a bundle: one description, written in the formats of several hosts."""

from __future__ import annotations

import json
from collections.abc import Sequence

from msgspec import Struct

CONTENT_SECURITY_POLICY = {
    "default-src": "'none'",
    "script-src": "'self' 'wasm-unsafe-eval'",
    "worker-src": "'self'",
    "connect-src": "'self'",
    "style-src": "'self'",
    "img-src": "'self' blob: data:",
    "media-src": "'self' blob:",
    "require-trusted-types-for": "'script'",
    "trusted-types": "webbuild",
}
"""All that a bundle's page needs. No `unsafe-eval`, no inline script or style, no worker from a blob, no script from a
string: only the runtime's policy of Trusted Types, which takes addresses of workers of the page's own origin."""


class HeaderRule(Struct, frozen=True):
    """Headers for every file in a folder of the bundle, "" for all of it. Each rule's are added to those above it."""

    folder: str
    headers: dict[str, str]


HEADER_RULES: tuple[HeaderRule, ...] = (
    HeaderRule(
        "",
        {
            "Content-Security-Policy": "; ".join(f"{name} {value}" for name, value in CONTENT_SECURITY_POLICY.items()),
            "Cross-Origin-Opener-Policy": "same-origin",
            "Cross-Origin-Embedder-Policy": "require-corp",
            "X-Content-Type-Options": "nosniff",
            "Referrer-Policy": "no-referrer",
        },
    ),
    # Graphs and weights are named by their content. Of the others Netlify, Cloudflare and Vercel say by themselves that
    # they are to be asked for each time; a rule of ours would be joined with this one, or replace it.
    HeaderRule("model/", {"Cache-Control": "public, max-age=31536000, immutable"}),
)


def headers_file(rules: Sequence[HeaderRule] = HEADER_RULES) -> str:
    """Return `_headers`, which Netlify and Cloudflare Pages read. Both join the headers of all rules that fit."""
    lines = []
    for rule in rules:
        lines.append(f"/{rule.folder}*")
        lines += [f"  {name}: {value}" for name, value in rule.headers.items()]
    return "\n".join(lines) + "\n"


def vercel_file(rules: Sequence[HeaderRule] = HEADER_RULES) -> str:
    """Return `vercel.json`."""
    listed = [
        {
            "source": f"/{rule.folder}(.*)",
            "headers": [{"key": name, "value": value} for name, value in rule.headers.items()],
        }
        for rule in rules
    ]
    return json.dumps({"headers": listed}, indent=2) + "\n"


def nginx_file(rules: Sequence[HeaderRule] = HEADER_RULES) -> str:
    """Return a snippet for a `server` block. A location with a header inherits none, so each has all of its own.

    nginx alone lets browsers guess for how long a file is good: after an upgrade they would mix old scripts with new.
    """
    blocks = ["# For a `server` block whose root is this folder. Scripts that end in .mjs have to be text/javascript."]
    for rule in rules:
        fitting = {"Cache-Control": "no-cache"}
        for each in rules:
            fitting |= each.headers if rule.folder.startswith(each.folder) else {}
        blocks.append(_nginx_location(f"/{rule.folder}", fitting))
        if not rule.folder:
            blocks.append(_nginx_location("~ \\.mjs$", fitting, "  types { }\n  default_type text/javascript;\n"))
    return "\n".join(blocks)


def _nginx_location(path: str, headers: dict[str, str], more: str = "") -> str:
    lines = "".join(f'  add_header {name} "{value}" always;\n' for name, value in headers.items())
    return f"location {path} {{\n{more}{lines}}}\n"
