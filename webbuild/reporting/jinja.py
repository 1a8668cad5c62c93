"""Jinja environments for pages and texts: the one place that opens templates, always with escaping."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from webbuild.errors import page_url

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup


def template_environment(*packages: str, html: bool = True, keep_trailing_newline: bool = False) -> Environment:
    """Return the templates in the folders `templates` of packages, then of `webbuild.reporting`.

    A missing name is an error. `html` escapes everything that is not marked safe. `reason` words a comparison's,
    `code_link` links a code to its page.
    """
    from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

    from webbuild.reporting.comparison_text import describe_reason

    environment = Environment(
        loader=ChoiceLoader([PackageLoader(package) for package in (*packages, "webbuild.reporting")]),
        autoescape=html,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=keep_trailing_newline,
    )
    environment.filters["reason"] = describe_reason
    environment.filters["code_link"] = _code_link
    return environment


def _code_link(code: str) -> Markup:
    """Return a code as a link to its page. One of another form, as a foreign file may have it, is no link."""
    from markupsafe import Markup

    if not re.fullmatch(r"[a-z0-9-]+", code):
        return Markup("<code>{}</code>").format(code)
    return Markup('<a href="{}"><code>{}</code></a>').format(page_url(code), code)
