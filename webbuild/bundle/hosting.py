"""HTTP headers for a bundle, written in the formats of several hosts."""

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
"""The least that a bundle's page needs: no `unsafe-eval`, no inline script or style, no worker from a blob, no script
from a string. The runtime's Trusted Types policy only allows worker addresses of the page's own origin."""


class HeaderRule(Struct, frozen=True):
    """Headers for all files in a folder of the bundle ("": in the bundle). They are added to those of earlier rules."""

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
    # Graphs and weights are named by their content. For other files Netlify, Cloudflare and Vercel already require
    # revalidation; a rule for these would be joined with this one, or replace it.
    HeaderRule("model/", {"Cache-Control": "public, max-age=31536000, immutable"}),
)


def headers_file(rules: Sequence[HeaderRule] = HEADER_RULES) -> str:
    """Return `_headers`, for Netlify and Cloudflare Pages. Both join the headers of all matching rules."""
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
    """Return a snippet for a `server` block. A location with a header inherits none, so each has all of its headers.

    Without Cache-Control nginx lets browsers guess how long a file is fresh: after an upgrade they would mix old and
    new scripts.
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
